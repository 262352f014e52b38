/* summary_html.c - text that summary.c has made, with links around it. */
#include "supervisor/generate/output/summary_html.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/text/plural.h"
#include "supervisor/generate/library/library.h"
#include "supervisor/generate/output/summary.h"
#include "supervisor/generate/program/bug.h"
#include "supervisor/generate/session/session.h"
#include "supervisor/report/html/html_style.h"
#include "supervisor/report/text/markup.h"

/* How many folders of the output folder are in these names: tests/T-1.c, tests/T-1.runs/pages/NAME.html. */
#define PROGRAM_FOLDERS 1
#define PAGE_FOLDERS 3

/* path: relative to the output folder after its last `folders` folders, so the output folder can be moved. */
static void summary_html_write_link(const char *path, int folders, const char *words, FILE *out)
{
	const char *at = path + strlen(path);

	for (int i = 0; i <= folders; i++)
		while (at > path && *--at != '/')
			;
	fputs("<a href=\"", out);
	rfs_markup_escape(*at == '/' ? at + 1 : at, out);
	fputs("\">", out);
	rfs_markup_escape(words, out);
	fputs("</a> ", out);
}

static void write_pre(char *text, FILE *out)
{
	fputs("<pre>", out);
	rfs_markup_escape(text, out);
	fputs("</pre>\n", out);
	free(text);
}

static void summary_html_write_bug(const struct rfs_summary *summary, const struct rfs_type_result *type,
				   const struct rfs_generated_bug *bug, FILE *out)
{
	fputs("<section>\n<h2>", out);
	rfs_markup_escape(type->type->name, out);
	fputs("</h2>\n<p>", out);
	if (bug->page)
		summary_html_write_link(bug->page, PAGE_FOLDERS, "The run as a picture", out);
	summary_html_write_link(bug->source, PROGRAM_FOLDERS, "The program", out);
	fputs("</p>\n", out);
	write_pre(rfs_summary_bug(summary, type, bug), out);
	fputs("</section>\n", out);
}

char *rfs_summary_html(const struct rfs_summary *summary)
{
	const struct rfs_session_result *result = summary->result;
	size_t n = 0, size;
	char *page;
	FILE *out = xopen_memstream(&page, &size);

	for (size_t i = 0; i < result->n_types; i++)
		n += result->types[i].bug != NULL;
	fprintf(out,
		"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<title>rfsup: %zu "
		"thread-unsafe type%s</title>\n"
		"<meta name=\"viewport\" content=\"width=device-width\"><style>%s</style></head>\n<body>\n"
		"<h1>%zu thread-unsafe type%s</h1>\n",
		n, rfs_plural(n), rfs_html_style, n, rfs_plural(n));
	for (size_t i = 0; i < result->n_types; i++)
		for (const struct rfs_generated_bug *bug = result->types[i].bug; bug; bug = bug->next)
			summary_html_write_bug(summary, &result->types[i], bug, out);
	fputs("<h2>What was tested</h2>\n", out);
	write_pre(rfs_summary_end(summary), out);
	fputs("</body></html>\n", out);
	fclose(out);
	return page;
}
