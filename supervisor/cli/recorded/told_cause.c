/* told_cause.c - finds a finding in report.txt. An empty line ends a finding. */
#include "supervisor/cli/recorded/told_cause.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/path.h"
#include "supervisor/report/text/text_violation.h"

#define SIMPLE "-simple.json"
#define REPLAY "; rfsup --replay "
#define BELOW "        "

/* "records/NAME.json" with the name of the record as recorded. Caller frees. */
static char *name_in_report(const char *record)
{
	const char *name = rfs_base_name(record);
	const size_t n = strlen(name), simple = strlen(SIMPLE);
	const bool is_simple = n > simple && strcmp(name + n - simple, SIMPLE) == 0;

	return xasprintf("/%.*s%s\n", (int)(is_simple ? n - simple : n), name, is_simple ? ".json" : "");
}

static FILE *open_report(const char *record)
{
	char *real = realpath(record, NULL), *slash = real ? strrchr(real, '/') : NULL, *path;
	FILE *in;

	if (slash)
		*slash = '\0';
	path = xasprintf("%s/../report.txt", real ? real : ".");
	in = fopen(path, "re");
	free(path);
	free(real);
	return in;
}

/* Appends n bytes. Nothing in them may control the terminal. */
static void keep(const char *text, size_t n, FILE *out)
{
	for (; n > 0; text++, n--)
		fputc((unsigned char)*text < ' ' && *text != '\n' ? ' ' : *text, out);
}

/* Reads the next block: lines up to an empty one. NULL: there is none. Caller frees. */
static char *next_block(FILE *in)
{
	char *line = NULL, *text = NULL;
	size_t room = 0, size = 0;
	FILE *block = xopen_memstream(&text, &size);

	while (getline(&line, &room, in) >= 0) {
		if (*line != '\n')
			keep(line, strlen(line), block);
		else if (ftell(block) > 0)
			break;
	}
	fclose(block);
	free(line);
	if (size > 0)
		return text;
	free(text);
	return NULL;
}

/* The line of the block that has `what` and ends with the name. NULL: none. */
static const char *line_with(const char *block, const char *what, const char *name)
{
	const char *at = block, *line;

	while ((at = strstr(at, name))) {
		for (line = at; line > block && line[-1] != '\n';)
			line--;
		if ((size_t)(at - line) >= strlen(what) && memmem(line, (size_t)(at - line), what, strlen(what)))
			return line;
		at++;
	}
	return NULL;
}

/* A finding of one line. If it is below another one, that has likely the same cause. */
static void put_brief(const char *block, const char *line, FILE *out)
{
	const bool is_below = strncmp(line, BELOW, strlen(BELOW)) == 0;
	const char *rest = block + strcspn(block, "\n");

	line += strspn(line, " ");
	fprintf(out, "%.*s\n", (int)(strstr(line, REPLAY) - line), line);
	if (is_below)
		fprintf(out, "    likely the same cause as %.*s%s", (int)(rest - block), block, rest);
}

/* Appends what the report says of the harmful violations that cause this failure. */
static void put_violations(const char *finding, FILE *in, FILE *out)
{
	const char *identity = strstr(finding, "  ["), *end = identity ? strchr(identity, ']') : NULL;
	char *failure, *block;

	if (!end || end > finding + strcspn(finding, "\n"))
		return;
	failure = xasprintf(RFS_TEXT_ITS_FAILURE "%.*s\n", (int)(end - identity - 3), identity + 3);
	while ((block = next_block(in))) {
		if (strstr(block, failure))
			fprintf(out, "\n%s", block);
		free(block);
	}
	free(failure);
}

char *rfs_told_cause(const char *record)
{
	FILE *in = open_report(record), *out;
	char *name = name_in_report(record), *block, *text = NULL;
	const char *line;
	size_t size;

	out = xopen_memstream(&text, &size);
	while (in && !ftell(out) && (block = next_block(in))) {
		if (line_with(block, "see it again: ", name)) {
			fputs(block, out);
			put_violations(block, in, out);
		} else if ((line = line_with(block, REPLAY, name))) {
			put_brief(block, line, out);
		}
		free(block);
	}
	fclose(out);
	if (in)
		fclose(in);
	free(name);
	if (size > 0)
		return text;
	free(text);
	return NULL;
}

char *rfs_told_line(const char *cause, size_t i)
{
	const char *line = cause, *identity;
	size_t n;

	for (; line && i > 0; i--) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	if (!line || !*line)
		return NULL;
	line += strspn(line, " ");
	n = strcspn(line, "\n");
	identity = strstr(line, "  [");
	return xstrndup(line, identity && identity < line + n ? (size_t)(identity - line) : n);
}
