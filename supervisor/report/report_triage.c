#include "supervisor/report/report_triage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/plural.h"
#include "supervisor/report/json_put.h"
#include "supervisor/report/report.h"
#include "supervisor/report/report_text-priv.h"
#include "supervisor/report/report_write.h"

/* The text shows so many reports; triage.txt and the JSON have all. */
#define SHOWN 40

static const char *const words[] = {
	[RFS_TRIAGED_HARMFUL] = "harmful",	   [RFS_TRIAGED_REAL] = "real",
	[RFS_TRIAGED_UNCLEAR] = "unclear",	   [RFS_TRIAGED_NOT_CREATED] = "not created",
	[RFS_TRIAGED_SUPPRESSED] = "suppressed",   [RFS_TRIAGED_NOT_TRIED] = "not tried",
	[RFS_TRIAGED_NOT_MATCHED] = "not matched", [RFS_TRIAGED_OTHER] = "not a race or deadlock",
};

struct rfs_report_triaged *rfs_report_add_triaged(struct rfs_report_triage *triage)
{
	if ((triage->n & (triage->n - 1)) == 0)
		triage->list = xreallocarray(triage->list, triage->n ? triage->n * 2 : 1, sizeof(*triage->list));
	triage->list[triage->n] = (struct rfs_report_triaged){0};
	return &triage->list[triage->n++];
}

void rfs_report_triage_release(struct rfs_report_triage *triage)
{
	for (size_t i = 0; i < triage->n; i++) {
		free(triage->list[i].title);
		free(triage->list[i].what);
		free(triage->list[i].why);
	}
	free(triage->list);
	free(triage->file);
	free(triage->note);
}

struct sums {
	uint64_t all, results[RFS_TRIAGED_COUNT], frames, frames_matched;
};

static struct sums sums_of(const struct rfs_report_triage *triage)
{
	struct sums sums = {0};

	for (size_t i = 0; i < triage->n; i++) {
		const struct rfs_report_triaged *one = &triage->list[i];

		sums.all += one->count;
		sums.results[one->result] += one->count;
		sums.frames += one->frames;
		sums.frames_matched += one->frames_matched;
	}
	return sums;
}

static const char *report_triage_colour_of(enum rfs_triaged result)
{
	return result == RFS_TRIAGED_HARMFUL ? RFS_TEXT_RED : result == RFS_TRIAGED_REAL ? RFS_TEXT_YELLOW : "";
}

static void put_sums(struct rfs_text *text, const struct rfs_report_triage *triage)
{
	struct sums sums = sums_of(triage);
	bool first = true;

	rfs_text_put(text, "reports     %" PRIu64 " in %s", sums.all, triage->file);
	if (sums.all > triage->n)
		rfs_text_put(text, " (%zu different)", triage->n);
	for (int i = 0; i < RFS_TRIAGED_COUNT; i++) {
		if (!sums.results[i])
			continue;
		rfs_text_put(text, "%s ", first ? ":" : ",");
		rfs_text_colour(text, report_triage_colour_of((enum rfs_triaged)i));
		rfs_text_put(text, "%" PRIu64 " %s", sums.results[i], words[i]);
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
	rfs_text_colour(text, report_triage_colour_of(one->result));
	rfs_text_put(text, "%-11s", words[one->result]);
	rfs_text_colour(text, RFS_TEXT_PLAIN);
	rfs_text_put(text, "  %s", one->what);
	if (one->count > 1)
		rfs_text_put(text, " (%" PRIu64 " times)", one->count);
	if (one->why)
		rfs_text_put(text, "; %s", one->why);
	if (one->runs)
		rfs_text_put(text, "; created in %" PRIu64 " of %" PRIu64 " run%s", one->created, one->runs,
			     rfs_plural(one->runs));
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

static json_t *one_json(const struct rfs_report_triaged *one)
{
	json_t *object = json_object();

	rfs_json_put_text(object, "tool", one->tool);
	rfs_json_put_text(object, "title", one->title);
	rfs_json_put_text(object, "what", one->what);
	if (one->line)
		rfs_json_put_number(object, "line", one->line);
	rfs_json_put_number(object, "count", one->count);
	rfs_json_put_text(object, "result", words[one->result]);
	rfs_json_put_text(object, "matched_by", one->how);
	/* it may be cut inside of a character */
	rfs_json_put_text(object, "why", one->why);
	if (one->id[0])
		rfs_json_put_text(object, "pair", one->id);
	if (one->surveyed)
		rfs_json_put_number(object, "surveyed", one->surveyed);
	if (one->tried)
		rfs_json_put_number(object, "tried", one->tried);
	rfs_json_put_number(object, "runs", one->runs);
	rfs_json_put_number(object, "created", one->created);
	rfs_json_put_number(object, "frames", one->frames);
	rfs_json_put_number(object, "frames_matched", one->frames_matched);
	return object;
}

json_t *rfs_report_triage_json(const struct rfs_report_triage *triage)
{
	json_t *object = json_object(), *counts = json_object(), *array = json_array();
	struct sums sums = sums_of(triage);

	rfs_json_put_text(object, "file", triage->file);
	rfs_json_put_text(object, "note", triage->note);
	rfs_json_put_number(object, "reports", sums.all);
	rfs_json_put_number(object, "different", triage->n);
	rfs_json_put_number(object, "frames", sums.frames);
	rfs_json_put_number(object, "frames_matched", sums.frames_matched);
	for (int i = 0; i < RFS_TRIAGED_COUNT; i++)
		rfs_json_put_number(counts, words[i], sums.results[i]);
	rfs_json_put(object, "results", counts);
	for (size_t i = 0; i < triage->n; i++)
		rfs_json_append(array, one_json(&triage->list[i]));
	rfs_json_put(object, "list", array);
	return object;
}
