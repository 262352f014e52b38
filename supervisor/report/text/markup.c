/* markup.c - text with escapes, for HTML, XML and JSON. */
#include "supervisor/report/text/markup.h"

#include <string.h>

#include "supervisor/base/text/utf8.h"

void rfs_markup_escape(const char *text, FILE *out)
{
	for (const char *s = text; *s;) {
		size_t n = rfs_utf8_length(s);

		if (*s == '<')
			fputs("&lt;", out);
		else if (*s == '>')
			fputs("&gt;", out);
		else if (*s == '&')
			fputs("&amp;", out);
		else if (*s == '"')
			fputs("&quot;", out);
		else if (*s == '\'')
			fputs("&#39;", out);
		else if (n == 0 || ((unsigned char)*s < ' ' && *s != '\t' && *s != '\n') || *s == 0x7f ||
			 strncmp(s, "\xef\xbf\xbe", 3) == 0 || strncmp(s, "\xef\xbf\xbf", 3) == 0)
			fputs("&#xfffd;", out);
		else
			fwrite(s, 1, n, out);
		s += n ? n : 1;
	}
}

void rfs_markup_json(const char *text, FILE *out)
{
	fputc('"', out);
	for (const char *s = text; *s;) {
		size_t n = rfs_utf8_length(s);

		if (*s == '"' || *s == '\\')
			fprintf(out, "\\%c", *s);
		else if (n == 0)
			fputs("\\ufffd", out);
		else if ((unsigned char)*s < ' ' || *s == '<')
			fprintf(out, "\\u%04x", (unsigned char)*s);
		else
			fwrite(s, 1, n, out);
		s += n ? n : 1;
	}
	fputc('"', out);
}
