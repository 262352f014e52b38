/* html_index.c - a list of links, by groups. */
#include "supervisor/report/html/html_index.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/path.h"
#include "supervisor/base/text/plural.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/data/report_groups.h"
#include "supervisor/report/html/html-priv.h"
#include "supervisor/report/text/markup.h"
#include "supervisor/report/text/report_text.h"
#include "supervisor/report/text/text_finding.h"
#include "supervisor/report/text/text_put.h"
#include "supervisor/report/text/text_summary.h"

/* Writes the group as text; the summary if group is NULL. */
static void html_index_write_text(const struct rfs_report_group *group, const struct rfs_report *report, FILE *out)
{
	char *bytes = NULL;
	size_t size;
	struct rfs_text text = {.out = xopen_memstream(&bytes, &size), .folder = getcwd(NULL, 0)};

	if (group)
		rfs_text_put_group(&text, group, report);
	else
		rfs_text_put_summary(&text, report);
	fclose(text.out);
	fputs("<pre>", out);
	rfs_markup_escape(bytes + strspn(bytes, "\n"), out);
	fputs("</pre>\n", out);
	free(bytes);
	free(text.folder);
}

static void html_index_write_link(const char *path, const char *words, FILE *out)
{
	/* all pages are in one folder of the output folder */
	const char *slash = strrchr(path, '/');

	while (slash > path && slash[-1] != '/')
		slash--;
	fputs("<a href=\"", out);
	rfs_markup_escape(slash, out);
	fputs("\">", out);
	rfs_markup_escape(words, out);
	fputs("</a> ", out);
}

static void write_group(const struct rfs_report_group *group, const struct rfs_report *report, FILE *out)
{
	fputs("<section>\n<p>", out);
	for (size_t i = 0; i < group->n; i++) {
		const char *page = rfs_report_item_shown(&group->items[i])->page;

		if (page && !(i && rfs_report_item_shown(&group->items[0])->page &&
			      strcmp(page, rfs_report_item_shown(&group->items[0])->page) == 0))
			html_index_write_link(page, i ? rfs_base_name(page) : "The run as a picture", out);
	}
	fputs("</p>\n", out);
	html_index_write_text(group, report, out);
	fputs("</section>\n", out);
}

void rfs_html_index_write(const struct rfs_report *report, bool colour, FILE *out)
{
	struct rfs_report_groups groups;

	(void)colour;
	rfs_report_groups_make(report, &groups);
	fprintf(out,
		"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<title>rfsup: %zu "
		"finding%s</title>\n"
		"<meta name=\"viewport\" content=\"width=device-width\"><style>%s</style></head>\n<body>\n<h1>",
		groups.n, rfs_plural(groups.n), rfs_html_style);
	if (groups.n)
		fprintf(out, "%zu finding%s", groups.n, rfs_plural(groups.n));
	else
		fputs("No findings", out);
	fputs("</h1>\n", out);
	for (size_t i = 0; i < groups.n; i++)
		write_group(&groups.list[i], report, out);
	fputs("<h2>What was run</h2>\n", out);
	html_index_write_text(NULL, report, out);
	if (rfs_report_has_unconfirmed(report))
		fputs("<p><a href=\"unconfirmed.txt\">What is not a finding</a></p>\n", out);
	fputs("</body></html>\n", out);
	rfs_report_groups_release(&groups);
}
