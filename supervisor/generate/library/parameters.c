/*
 * parameters.c - finds a declaration near its line in the header, and the last identifier of each of its parameters.
 */
#include "supervisor/generate/library/parameters.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/generate/library/declarations.h"

/* How many lines before and after the compiler's line are read. Long declarations have that many. */
#define LINES_AROUND 40

static bool parameters_is_name_part(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Blanks out comments, in place. */
static void blank_comments(char *text)
{
	for (char *at = text; (at = strstr(at, "/*"));) {
		char *end = strstr(at + 2, "*/");

		end = end ? end + 2 : at + strlen(at);
		memset(at, ' ', (size_t)(end - at));
	}
	for (char *at = text; (at = strstr(at, "//"));) {
		size_t n = strcspn(at, "\n");

		memset(at, ' ', n);
	}
}

/* The lines around the declaration. *at: the offset of its own line. Caller frees; NULL: the file cannot be read. */
static char *text_around(const struct rfs_declaration *declaration, size_t *at)
{
	FILE *in = fopen(declaration->file, "re");
	char *line = NULL, *text = NULL;
	size_t room = 0, size;
	unsigned number = 0;
	FILE *out;

	if (!in)
		return NULL;
	out = open_memstream(&text, &size);
	*at = 0;
	while (out && getline(&line, &room, in) > 0) {
		number++;
		if (number == declaration->line) {
			fflush(out);
			*at = size;
		}
		if (number + LINES_AROUND >= declaration->line && number <= declaration->line + LINES_AROUND)
			fputs(line, out);
	}
	free(line);
	fclose(in);
	if (out)
		fclose(out);
	return text;
}

/* The parenthesis that opens the parameters: after the name, which may be in parentheses itself. NULL: none. */
static char *parameters_of(char *name_end)
{
	while (isspace((unsigned char)*name_end) || *name_end == ')')
		name_end++;
	return *name_end == '(' ? name_end : NULL;
}

/* Finds the declaration: the last one that begins in its line or before, or else the first one after it. */
static char *parameters_find(char *text, size_t at, const char *name)
{
	char *found = NULL, *place = text;
	size_t n = strlen(name), line_end = at + strcspn(text + at, "\n");

	for (; (place = strstr(place, name)); place += n) {
		char *open;

		if ((place > text && parameters_is_name_part(place[-1])) || parameters_is_name_part(place[n]))
			continue;
		open = parameters_of(place + n);
		if (!open)
			continue;
		if (found && (size_t)(place - text) > line_end)
			break;
		found = open;
	}
	return found;
}

/* The name in one parameter, such as "b" in "char *const b[4]" and "f" in "void (*f) (int x)". Caller frees; NULL:
 * none. */
static char *name_in(const char *start, const char *end)
{
	const char *function = memmem(start, (size_t)(end - start), "(*", 2), *name = NULL;
	size_t words = 0, length = 0;

	if (function) {
		start = function + 2;
		end = start + strcspn(start, ")");
		words = 1; /* the type is before it */
	}
	for (const char *at = start; at < end;) {
		size_t n = 0;

		if (*at == '[')
			break;
		while (at + n < end && parameters_is_name_part(at[n]))
			n++;
		if (n && !isdigit((unsigned char)*at)) {
			name = at;
			length = n;
			words++;
		}
		at += n ? n : 1;
	}
	return words > 1 ? xstrndup(name, length) : NULL;
}

bool rfs_parameter_names(const struct rfs_declaration *declaration, char **names, size_t n)
{
	size_t at, got = 0;
	char *text = text_around(declaration, &at), *open = NULL;
	int depth = 0;

	memset(names, 0, n * sizeof(*names));
	if (text) {
		blank_comments(text);
		open = parameters_find(text, at, declaration->name);
	}
	for (char *start = open ? open + 1 : NULL, *end = start; end && *end; end++) {
		if (*end == '(')
			depth++;
		if ((*end == ',' && depth == 0) || (*end == ')' && depth-- == 0)) {
			char *name = name_in(start, end);

			if (got < n)
				names[got] = name;
			else
				free(name);
			got++;
			if (*end == ')')
				break;
			start = end + 1;
		}
	}
	free(text);
	if (got == n)
		return true;
	for (size_t i = 0; i < n; i++) {
		free(names[i]);
		names[i] = NULL;
	}
	return false;
}
