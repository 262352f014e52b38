/* source.c - finds the file of a place, and tidies the line up for a report. */
#include "supervisor/symbols/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "supervisor/base/alloc.h"

#define WIDTH 160

/* The line as a report shows it. Changes text; returns a copy, which the caller frees. */
static char *source_tidy(char *text)
{
	size_t n;

	for (char *p = text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = ' ';
	text += strspn(text, " ");
	n = strlen(text);
	while (n && text[n - 1] == ' ')
		n--;
	if (n <= WIDTH)
		return xstrndup(text, n);
	n = WIDTH;
	while (n && ((unsigned char)text[n] & 0xc0) == 0x80) /* do not cut inside a character */
		n--;
	text[n] = '\0';
	return xasprintf("%s...", text);
}

char *rfs_source_line(const char *file, unsigned line)
{
	struct stat st;
	char *text = NULL, *found = NULL;
	size_t room = 0;
	FILE *in;

	/* the name comes from debug information; opening a pipe or device of that name could block for ever */
	if (stat(file, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	in = fopen(file, "re");
	if (!in)
		return NULL;
	for (unsigned i = 1; i <= line && getline(&text, &room, in) >= 0; i++)
		if (i == line)
			found = source_tidy(text);
	free(text);
	fclose(in);
	return found;
}
