/* shell_word.c - quotes a word if a shell would change it. */
#include "supervisor/base/text/shell_word.h"

#include <string.h>

#include "supervisor/base/alloc.h"

char *rfs_shell_word(const char *word)
{
	size_t n = 0;
	char *quoted, *p;

	if (*word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-:,=@%")])
		return xstrdup(word);
	for (const char *s = word; *s; s++)
		n += *s == '\'' ? 4 : 1;
	p = quoted = xmalloc(n + 3);
	*p++ = '\'';
	for (const char *s = word; *s; s++) {
		if (*s == '\'')
			p = stpcpy(p, "'\\''");
		else
			*p++ = *s;
	}
	strcpy(p, "'");
	return quoted;
}
