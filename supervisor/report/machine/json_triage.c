/* json_triage.c - what became of the reports of other tools, as JSON. */
#include "supervisor/report/machine/json_triage.h"

#include "supervisor/report/data/report_triage.h"
#include "supervisor/report/machine/json_put.h"

static json_t *json_triage_one(const struct rfs_report_triaged *one)
{
	json_t *object = json_object();

	rfs_json_put_text(object, "tool", one->tool);
	rfs_json_put_text(object, "title", one->title);
	rfs_json_put_text(object, "what", one->what);
	if (one->line)
		rfs_json_put_number(object, "line", one->line);
	rfs_json_put_number(object, "count", one->count);
	rfs_json_put_text(object, "result", rfs_triaged_words[one->result]);
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

json_t *rfs_json_triage(const struct rfs_report_triage *triage)
{
	json_t *object = json_object(), *counts = json_object(), *array = json_array();
	struct rfs_triage_sums sums = rfs_report_triage_sums(triage);

	rfs_json_put_text(object, "file", triage->file);
	rfs_json_put_text(object, "note", triage->note);
	rfs_json_put_number(object, "reports", sums.all);
	rfs_json_put_number(object, "different", triage->n);
	rfs_json_put_number(object, "frames", sums.frames);
	rfs_json_put_number(object, "frames_matched", sums.frames_matched);
	for (int i = 0; i < RFS_TRIAGED_COUNT; i++)
		rfs_json_put_number(counts, rfs_triaged_words[i], sums.results[i]);
	rfs_json_put(object, "results", counts);
	for (size_t i = 0; i < triage->n; i++)
		rfs_json_append(array, json_triage_one(&triage->list[i]));
	rfs_json_put(object, "list", array);
	return object;
}
