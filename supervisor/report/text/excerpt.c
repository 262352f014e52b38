/* excerpt.c - looks for lines that begin as messages of failures do, and cuts what is long. */
#include "supervisor/report/text/excerpt.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"

#define LINES 10
#define WIDTH 160

/* The places of the lines that are not blank. */
struct lines {
	const char **list;
	size_t *lengths, n;
};

static void excerpt_take(struct lines *lines, const char *line, size_t length)
{
	while (length && strchr(" \t\r", line[length - 1]))
		length--;
	if (!length)
		return;
	lines->list = xreallocarray(lines->list, lines->n + 1, sizeof(*lines->list));
	lines->lengths = xreallocarray(lines->lengths, lines->n + 1, sizeof(*lines->lengths));
	lines->list[lines->n] = line;
	lines->lengths[lines->n++] = length;
}

/* Whether the line is the first one of a message about a failure. */
static bool begins_message(const char *line, size_t n)
{
	/* sanitizers; assert(3) and GLib; Rust; GoogleTest; Catch2 and doctest; Criterion; pthread_mutex_lock(3) of
	 * glibc */
	static const char *const signs[] = {"Sanitizer: ",  "runtime error: ", "ssertion `",	  "ssertion failed",
					    "ERROR:",	    "' panicked at ",  ": Failure",	  ": FAILED:",
					    "ERROR: CHECK", ": Assertion ",    "terminate called"};

	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		if (memmem(line, n, signs[i], strlen(signs[i])))
			return true;
	return false;
}

static void excerpt_put_line(const char *line, size_t n, FILE *out)
{
	size_t shown = n < WIDTH ? n : WIDTH;

	while (shown && shown < n && ((unsigned char)line[shown] & 0xc0) == 0x80)
		shown--; /* do not cut inside a character */
	for (size_t i = 0; i < shown; i++)
		fputc(line[i] ? line[i] : ' ', out);
	if (shown < n)
		fputs("...", out);
}

char *rfs_excerpt(const char *output, size_t n)
{
	struct lines lines = {0};
	size_t begin, end, size;
	char *text = NULL;
	FILE *out;

	for (size_t at = 0; at < n;) {
		const char *newline = memchr(output + at, '\n', n - at);
		size_t length = newline ? (size_t)(newline - output) - at : n - at;

		excerpt_take(&lines, output + at, length);
		at += length + 1;
	}
	for (begin = 0; begin < lines.n && !begins_message(lines.list[begin], lines.lengths[begin]); begin++)
		;
	if (begin == lines.n)
		begin = lines.n > LINES ? lines.n - LINES : 0;
	end = begin + LINES < lines.n ? begin + LINES : lines.n;
	if (lines.n) {
		out = open_memstream(&text, &size);
		if (!out)
			die("out of memory while writing the report");
		for (size_t i = begin; i < end; i++) {
			if (i > begin)
				fputc('\n', out);
			excerpt_put_line(lines.list[i], lines.lengths[i], out);
		}
		fclose(out);
	}
	free(lines.list);
	free(lines.lengths);
	return text;
}
