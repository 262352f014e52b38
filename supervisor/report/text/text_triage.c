/* text_triage.c - writes what became of the reports of other tools. */
#include "supervisor/report/text/text_triage.h"

#include <inttypes.h>
#include <stdio.h>

#include "supervisor/base/text/plural.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/text/text_put.h"

/* The text shows this many reports; triage.txt and the JSON have all. */
#define SHOWN 40

static const char *text_triage_colour_of(enum rfs_triaged result)
{
	return result == RFS_TRIAGED_HARMFUL ? RFS_TEXT_RED : result == RFS_TRIAGED_REAL ? RFS_TEXT_YELLOW : "";
}

static void put_sums(struct rfs_text *text, const struct rfs_report_triage *triage)
{
	struct rfs_triage_sums sums = rfs_report_triage_sums(triage);
	bool first = true;

	rfs_text_put(text, "reports     %" PRIu64 " in %s", sums.all, triage->file);
	if (sums.all > triage->n)
		rfs_text_put(text, " (%zu different)", triage->n);
	for (int i = 0; i < RFS_TRIAGED_COUNT; i++) {
		if (!sums.results[i])
			continue;
		rfs_text_put(text, "%s ", first ? ":" : ",");
		rfs_text_colour(text, text_triage_colour_of((enum rfs_triaged)i));
		rfs_text_put(text, "%" PRIu64 " %s", sums.results[i], rfs_triaged_words[i]);
		rfs_text_colour(text, RFS_TEXT_PLAIN);
		first = false;
	}
	rfs_text_put(text, "\n");
	if (triage->note)
		rfs_text_put(text, "note        %s\n", triage->note);
}

static void put_one(struct rfs_text *text, const struct rfs_report_triaged *one)
{
	char line[16] = "-";

	if (one->line)
		snprintf(line, sizeof(line), "%u", one->line);
	rfs_text_put(text, "  %6s  %-15s  ", line, one->tool);
	rfs_text_colour(text, text_triage_colour_of(one->result));
	rfs_text_put(text, "%-11s", rfs_triaged_words[one->result]);
	rfs_text_colour(text, RFS_TEXT_PLAIN);
	rfs_text_put(text, "  %s", one->what);
	if (one->count > 1)
		rfs_text_put(text, " (%" PRIu64 " times)", one->count);
	if (one->why)
		rfs_text_put(text, "; %s", one->why);
	if (one->runs)
		rfs_text_put(text, "; %s in %" PRIu64 " of %" PRIu64 " run%s", rfs_text_created(text), one->created,
			     one->runs, rfs_plural(one->runs));
	if (one->how)
		rfs_text_put(text, "; matched by %s", one->how);
	if (one->id[0])
		rfs_text_put(text, "  [%s]", one->id);
	rfs_text_put(text, "\n");
}

/* The worst reports first, and equal ones in the order of the file. */
static void put_table(struct rfs_text *text, const struct rfs_report_triage *triage, size_t most)
{
	size_t shown = 0;

	rfs_text_put(text, "    line  tool             result       report\n");
	for (int result = 0; result < RFS_TRIAGED_COUNT; result++)
		for (size_t i = 0; i < triage->n && shown < most; i++)
			if (triage->list[i].result == (enum rfs_triaged)result) {
				put_one(text, &triage->list[i]);
				shown++;
			}
	if (shown < triage->n)
		rfs_text_put(text, "  %zu more are in triage.txt\n", triage->n - shown);
}

void rfs_text_put_triage(struct rfs_text *text, const struct rfs_report *report)
{
	if (!report->triage.file)
		return;
	put_sums(text, &report->triage);
	put_table(text, &report->triage, SHOWN);
}

void rfs_report_write_triage(const struct rfs_report *report, bool colour, FILE *out)
{
	struct rfs_text text = {.out = out, .colour = colour};

	put_sums(&text, &report->triage);
	put_table(&text, &report->triage, SIZE_MAX);
}
