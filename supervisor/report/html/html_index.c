/* html_index.c - a card for each cause. */
#include "supervisor/report/html/html_index.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/path.h"
#include "supervisor/base/text/plural.h"
#include "supervisor/base/text/shell_word.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/data/report_groups.h"
#include "supervisor/report/data/report_identity.h"
#include "supervisor/report/data/report_shown.h"
#include "supervisor/report/html/html-priv.h"
#include "supervisor/report/text/markup.h"
#include "supervisor/report/text/report_text.h"
#include "supervisor/report/text/text_finding.h"
#include "supervisor/report/text/text_put.h"
#include "supervisor/report/text/text_summary.h"

/* Writes text with a link for each "/folder/file.c:12". */
static void write_linked(const char *text, FILE *out)
{
	bool begins = true;

	while (*text) {
		size_t n = begins && *text == '/' ? strcspn(text, " \t\n:()") : 0;
		char *part = xstrndup(text, n ? n : 1);

		if (n && text[n] == ':' && text[n + 1] >= '0' && text[n + 1] <= '9') {
			fputs("<a href=\"file://", out);
			rfs_markup_escape(part, out);
			fputs("\">", out);
			rfs_markup_escape(part, out);
			fputs("</a>", out);
		} else {
			size_t more = begins && *text == '/' ? n : strcspn(text, " \t\n(");

			free(part);
			part = xstrndup(text, more ? more : 1);
			rfs_markup_escape(part, out);
			n = more ? more : 1;
		}
		text += n;
		begins = text[-1] == ' ' || text[-1] == '(' || text[-1] == '\n';
		free(part);
	}
}

/* Writes the group as text; the summary if group is NULL. */
static void html_index_write_text(const struct rfs_report_group *group, const struct rfs_report *report, FILE *out)
{
	char *bytes = NULL;
	size_t size;
	/* a link needs the whole path */
	struct rfs_text text = {.out = xopen_memstream(&bytes, &size), .folder = group ? NULL : getcwd(NULL, 0)};

	if (group)
		rfs_text_put_group(&text, group, report);
	else
		rfs_text_put_summary(&text, report);
	fclose(text.out);
	fputs("<pre>", out);
	write_linked(bytes + strspn(bytes, "\n"), out);
	fputs("</pre>\n", out);
	free(bytes);
	free(text.folder);
}

/* A command with a button that copies it. */
static void write_command(const char *record, const char *more, const char *does, FILE *out)
{
	char *word = rfs_shell_word(record), *command = xasprintf("rfsup --replay %s%s", word, more);

	fprintf(out, "<p><button onclick=\"navigator.clipboard.writeText(this.nextElementSibling.textContent);"
		     "this.textContent='copied'\">copy</button> <code>");
	rfs_markup_escape(command, out);
	fprintf(out, "</code> %s</p>\n", does);
	free(command);
	free(word);
}

/* The path as seen from the index: all pages are in one folder of the output folder. */
static const char *in_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	while (slash > path && slash[-1] != '/')
		slash--;
	return slash;
}

static void html_index_write_link(const char *path, const char *words, FILE *out)
{
	fputs("<a href=\"", out);
	rfs_markup_escape(in_folder(path), out);
	fputs("\">", out);
	rfs_markup_escape(words, out);
	fputs("</a> ", out);
}

/* The links to the pages of the group's runs, and the first one below. */
static void write_pages(const struct rfs_report_group *group, FILE *out)
{
	const char *first = rfs_report_item_shown(&group->items[0])->page;

	fputs("<p>", out);
	for (size_t i = 0; i < group->n; i++) {
		const char *page = rfs_report_item_shown(&group->items[i])->page;

		if (page && !(i && first && strcmp(page, first) == 0))
			html_index_write_link(page, i ? rfs_base_name(page) : "The run as a picture", out);
	}
	fputs("</p>\n", out);
	if (first) {
		fputs("<details><summary>Show it here</summary>\n<iframe loading=\"lazy\" title=\"The run\" src=\"",
		      out);
		rfs_markup_escape(in_folder(first), out);
		fputs("\"></iframe></details>\n", out);
	}
}

/* One cause: its title and sentence, the story, the commands; all else is folded. */
static void write_group(const struct rfs_report_group *group, const struct rfs_report *report, FILE *out)
{
	const struct rfs_report_item *item = &group->items[0];
	const struct rfs_report_shown *shown = rfs_report_item_shown(item);
	const struct rfs_report_identity *identity = rfs_report_item_identity(item);
	const char *record = rfs_report_item_record(item);
	char *head = rfs_text_head(item), *cause = rfs_text_cause(item, report);

	fputs("<section class=\"card\">\n<h2>", out);
	rfs_markup_escape(head, out);
	fprintf(out, " <span class=\"id\">%s%s</span></h2>\n", identity->id, identity->known ? ", known" : "");
	fputs("<p class=\"cause\">", out);
	rfs_markup_escape(cause, out);
	fputs("</p>\n", out);
	write_pages(group, out);
	if (shown->story) {
		fputs("<pre class=\"story\">", out);
		rfs_markup_escape(shown->story, out);
		fputs("</pre>\n", out);
	} else if (shown->no_story) {
		fputs("<p>No simplified run: ", out);
		rfs_markup_escape(shown->no_story, out);
		fputs(".</p>\n", out);
	}
	if (record) {
		write_command(record, "", "the same run again", out);
		write_command(record, " --gdb", "in the debugger", out);
	}
	fputs("<details><summary>All that is known</summary>\n", out);
	html_index_write_text(group, report, out);
	fputs("</details>\n</section>\n", out);
	free(cause);
	free(head);
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
