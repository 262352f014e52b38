/* sanitizer_report.c - finds the first report of a sanitizer in the error output of a run. */
#include "supervisor/campaign/failures/sanitizer_report.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/campaign/failures/failure_key.h"
#include "supervisor/report/data/report.h"

/* The first paragraph says what happened and where. Its length, and that of the text before it, are limited. */
#define LINES_SHOWN 8
#define LINES_READ 100000

/* "==17==ERROR: AddressSanitizer: ...", "WARNING: ThreadSanitizer: ...", "x.c:3:5: runtime error: ..." */
static bool sanitizer_report_begins(const char *line)
{
	static const char *const marks[] = {"ERROR: AddressSanitizer",	 "ERROR: LeakSanitizer",
					    "ERROR: ThreadSanitizer",	 "WARNING: ThreadSanitizer",
					    "WARNING: MemorySanitizer",	 "ERROR: MemorySanitizer",
					    "ERROR: HWAddressSanitizer", "ERROR: UndefinedBehaviorSanitizer",
					    ": runtime error: "};

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (strstr(line, marks[i]))
			return true;
	return false;
}

void rfs_sanitizer_report(const char *path, struct rfs_report_strings *out)
{
	FILE *file = fopen(path, "re");
	unsigned shown = 0, read = 0;
	char *line = NULL;
	size_t room = 0;

	while (file && shown < LINES_SHOWN && read++ < LINES_READ && getline(&line, &room, file) >= 0) {
		line[strcspn(line, "\r\n")] = '\0';
		if (shown ? !*line : !sanitizer_report_begins(line)) {
			if (shown)
				break;
			continue;
		}
		rfs_report_add_string(out, line);
		shown++;
	}
	free(line);
	if (file)
		fclose(file);
}

/* What kind of error the line reports. Caller frees. */
static char *kind_of(const char *line)
{
	/* in the first line of a report, the kind of error comes after one of these */
	static const char *const marks[] = {": runtime error: ", "ERROR: ", "WARNING: "};
	/* and before the first of these, if there is one */
	static const char *const ends[] = {" on ", " (", ": "};
	const char *begin = line;
	char *text, *after, *kind;

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks) && begin == line; i++)
		if (strstr(line, marks[i]))
			begin = strstr(line, marks[i]) + strlen(marks[i]);
	text = xstrdup(begin);
	after = strstr(text, "Sanitizer: ") ? strstr(text, "Sanitizer: ") + strlen("Sanitizer: ") : text;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (strstr(after, ends[i]))
			*strstr(after, ends[i]) = '\0';
	kind = rfs_failure_message(text);
	free(text);
	return kind;
}

void rfs_sanitizer_add_kind(const struct rfs_report_strings *lines, char **detail)
{
	char *kind, *text;

	if (!lines->n_items || !*detail)
		return;
	kind = kind_of(lines->items[0]);
	text = xasprintf("%s: %s", *detail, kind);
	free(*detail);
	free(kind);
	*detail = text;
}
