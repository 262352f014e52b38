/* told_cause.c - finds a finding in report.txt. An empty line ends a finding. */
#include "supervisor/cli/recorded/told_cause.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/path.h"

#define SIMPLE "-simple.json"

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

/* Appends a line. Nothing in it may control the terminal. */
static void keep(const char *line, FILE *out)
{
	for (; *line; line++)
		fputc((unsigned char)*line < ' ' && *line != '\n' ? ' ' : *line, out);
}

char *rfs_told_cause(const char *record)
{
	FILE *in = open_report(record), *block = NULL;
	char *name = name_in_report(record), *line = NULL, *text = NULL;
	size_t room = 0, size;
	bool found = false;

	while (in && getline(&line, &room, in) >= 0) {
		if (*line == '\n' && found)
			break;
		if (*line == '\n' || !block) {
			if (block)
				fclose(block);
			free(text);
			block = xopen_memstream(&text, &size);
		}
		if (*line != '\n')
			keep(line, block);
		found |= strstr(line, "see it again: ") && strstr(line, name);
	}
	if (block)
		fclose(block);
	if (!found) {
		free(text);
		text = NULL;
	}
	if (in)
		fclose(in);
	free(line);
	free(name);
	return text;
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
