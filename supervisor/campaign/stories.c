#include "supervisor/campaign/stories.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "policy/samplers/schedule.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/error.h"
#include "supervisor/campaign/campaign-priv.h"
#include "supervisor/campaign/executions.h"
#include "supervisor/campaign/minimise.h"
#include "supervisor/campaign/saved_run.h"
#include "supervisor/campaign/verdict.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/record.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/trace_file.h"
#include "supervisor/report/report.h"
#include "supervisor/report/report_groups.h"
#include "supervisor/report/schedule_text.h"

/* How many groups get a story. */
#define STORIES 10
/* How many runs one story may take. A run with many operations takes long, so the operations of all are limited too. */
#define RUNS_MAX 80
#define RUNS_MIN 8
#define STEPS_MAX 2000000
/* How many lines a story has. */
#define STORY_LINES 16
/* A run with other choices may wait for something that never comes. It gets this many times the time of the saved run.
 */
#define TIME_FACTOR 20
#define TIME_MIN 5.0

struct story {
	struct rfs_campaign *c;
	struct rfs_execution execution; /* the saved run's, with the policy "schedule" */
	struct rfs_run_result wanted;
	uint64_t runs, limit;
	bool over; /* no more runs may be made */
};

/* Makes a run that no count of the campaign includes. choices: NULL: as recorded. True if *result is filled. */
static bool run(struct story *s, const struct rfs_execution *execution, const struct rfs_choices *choices,
		struct rfs_run_result *result)
{
	struct rfs_execution with = *execution;
	struct rfs_blob blob;
	char why[1024];

	if (choices) {
		blob = (struct rfs_blob){choices->list, choices->n * sizeof(*choices->list)};
		with.policy_path = NULL;
		with.spec.policy = rfs_policy_find(RFS_POLICY_SCHEDULE);
		with.spec.policy_options = NULL;
		with.spec.policy_blob = &blob;
		with.spec.input_loose = with.spec.input_in != NULL;
	}
	s->runs++;
	s->over |= rfs_pool_run_one(s->c->pool, &with, false, result, NULL, why, sizeof(why)) != RFS_POOL_DONE;
	return !s->over;
}

static bool story_shows(void *arg, const struct rfs_choices *choices)
{
	struct story *s = arg;
	struct rfs_run_result result;
	bool same;

	if (!run(s, &s->execution, choices, &result))
		return false;
	same = rfs_shows_the_same(&s->wanted, &result);
	rfs_run_result_release(&result);
	return same;
}

static bool story_over(void *arg)
{
	struct story *s = arg;
	double now = rfs_clock();

	/* one more run is needed for the trace of the result */
	return s->over || s->runs >= s->limit ||
	       (s->c->deadline > 0 && now + 3 * s->wanted.costs.wall_seconds > s->c->deadline);
}

/* Writes the lines of the story to *out. False if the trace cannot be read. */
static bool write_story(struct story *s, const struct rfs_run_result *result, const char *trace_path,
			struct rfs_report_shown *out)
{
	struct rfs_trace_entry *trace;
	size_t n, size;
	char why[1024];
	FILE *text;

	if (rfs_trace_read(trace_path, &trace, &n, why, sizeof(why)))
		return false;
	text = open_memstream(&out->story, &size);
	if (!text)
		die("out of memory while writing the report");
	rfs_schedule_text_write(s->c->symbols, result, trace, n, STORY_LINES, text);
	fclose(text);
	out->story_switches = rfs_schedule_text_switches(trace, n);
	free(trace);
	return true;
}

/* Makes the run with the choices that remain once more, with a trace, and writes its record. */
static void finish(struct story *s, const struct rfs_saved_run *kept, const struct rfs_choices *choices,
		   struct rfs_report_shown *out)
{
	struct rfs_blob blob = {choices->list, choices->n * sizeof(*choices->list)};
	struct rfs_execution execution = s->execution;
	char *path[3], why[1024], *name;
	static const char *const suffixes[] = {"json", "trace", "input"};
	struct rfs_run_result result = {0};

	name = xasprintf("%.50s-simple", kept->execution.name);
	for (int i = 0; i < 3; i++)
		path[i] = rfs_campaign_record(s->c, name, suffixes[i]);
	execution.spec.trace_out = path[1];
	if (execution.spec.input_in)
		execution.spec.input_out = path[2];
	if (run(s, &execution, choices, &result) && rfs_shows_the_same(&s->wanted, &result)) {
		execution.policy_path = NULL;
		execution.spec.policy = rfs_policy_find(RFS_POLICY_SCHEDULE);
		execution.spec.policy_options = NULL;
		execution.spec.policy_blob = &blob;
		execution.spec.timeout = kept->execution.spec.timeout;
		if (execution.spec.input_in)
			execution.input = strrchr(path[2], '/') + 1;
		if (write_story(s, &result, path[1], out) &&
		    rfs_record_write(path[0], &execution, &result, strrchr(path[1], '/') + 1, why, sizeof(why)) == 0)
			out->simple = xstrdup(path[0]);
		out->story_runs = s->runs;
	}
	rfs_run_result_release(&result);
	for (int i = 0; i < 3; i++)
		free(path[i]);
	free(name);
}

void rfs_story_of(struct rfs_campaign *c, const struct rfs_saved_run *kept, struct rfs_report_shown *out)
{
	struct story s = {.c = c};
	const struct rfs_minimise search = {.shows = story_shows, .over = story_over, .arg = &s};
	const double timeout = kept->result.costs.wall_seconds * TIME_FACTOR;
	struct rfs_choices choices;
	uint64_t steps = kept->result.counts.steps;

	if (c->end != RFS_POOL_DONE || kept->replayed != RFS_REPLAY_SAME)
		return;
	s.limit = steps ? STEPS_MAX / steps : RUNS_MAX;
	s.limit = s.limit > RUNS_MAX ? RUNS_MAX : s.limit < RUNS_MIN ? RUNS_MIN : s.limit;
	rfs_saved_run_execution(kept, &s.execution);
	snprintf(s.execution.name, sizeof(s.execution.name), "%.50s-story", kept->execution.name);
	s.execution.spec.note_schedule = true;
	if (s.execution.spec.timeout <= 0 || timeout < s.execution.spec.timeout)
		s.execution.spec.timeout = timeout > TIME_MIN ? timeout : TIME_MIN;
	if (run(&s, &s.execution, NULL, &s.wanted)) {
		choices = rfs_choices_of(&s.wanted);
		/* the failure may also depend on other actions of the policy; there is no story then */
		if (rfs_shows_the_same(&s.wanted, &s.wanted) && story_shows(&s, &choices)) {
			rfs_minimise(&search, &choices);
			out->story_cut = story_over(&s);
			finish(&s, kept, &choices, out);
		}
		free(choices.list);
	}
	rfs_run_result_release(&s.wanted);
}

static bool is_named(const struct rfs_saved_run *kept, const char *name, size_t n)
{
	return strlen(kept->execution.name) == n && strncmp(kept->execution.name, name, n) == 0;
}

/* The saved run whose record has this path; NULL: there is none. */
static const struct rfs_saved_run *saved_run_of(const struct rfs_campaign *c, const char *record)
{
	const char *name = strrchr(record, '/') + 1;
	size_t n = strlen(name) - strlen(".json");

	for (size_t i = 0; i < c->findings.n; i++)
		if (is_named(c->findings.list[i].first, name, n))
			return c->findings.list[i].first;
	for (size_t i = 0; i < c->pairs.n; i++) {
		const struct rfs_pair *pair = &c->pairs.list[i];

		if (pair->has_created && is_named(&pair->created, name, n))
			return &pair->created;
		for (size_t k = 0; k < pair->n_failures; k++)
			if (is_named(&pair->failures[k].first, name, n))
				return &pair->failures[k].first;
	}
	return NULL;
}

void rfs_stories_add(struct rfs_campaign *c, struct rfs_report *report)
{
	struct rfs_report_groups groups;

	rfs_report_groups_make(report, &groups);
	for (size_t i = 0; i < groups.n && i < STORIES; i++) {
		const struct rfs_report_item *item = &groups.list[i].items[0];
		const char *record = rfs_report_item_record(item);
		const struct rfs_saved_run *kept = record ? saved_run_of(c, record) : NULL;
		struct rfs_signature signature;

		/* a race without a failure is understood from its two statements, so only the first group gets one */
		if (kept && (i == 0 || rfs_run_failed(&kept->result, &signature)))
			rfs_story_of(c, kept, rfs_report_item_shown(item));
	}
	rfs_report_groups_release(&groups);
}
