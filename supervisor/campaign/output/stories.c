/*
 * stories.c - simplifies the run of each finding, makes one that passes, and compares and draws them. It changes no
 * verdict.
 */
#include "supervisor/campaign/output/stories.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/output.h"
#include "supervisor/campaign/decisions/minimise.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/ending.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/executions/warnings.h"
#include "supervisor/campaign/failures/finding.h"
#include "supervisor/campaign/failures/saved_run.h"
#include "supervisor/campaign/failures/saved_run_report.h"
#include "supervisor/campaign/output/lost_signal.h"
#include "supervisor/campaign/predicted/pair_list.h"
#include "supervisor/campaign/predicted/violation_trace.h"
#include "supervisor/campaign/predicted/violations.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/settings.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/record.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/trace_file.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/data/report_groups.h"
#include "supervisor/report/html/html.h"
#include "supervisor/report/text/order_difference.h"
#include "supervisor/report/text/schedule_text.h"
#include "supervisor/report/text/text_finding.h"

/* How many groups get a story. */
#define STORIES 10
/* How many findings get a page. */
#define PAGES 40
/* How many runs one story may take. A run with many operations takes long, so the operations of all are limited too. */
#define RUNS_MAX 80
#define RUNS_MIN 8
#define STEPS_MAX 2000000
/* How many runs are made to find one that passes. */
#define PASSING_TRIES 6
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
	bool over;	     /* no more runs may be made */
	bool slow;	     /* the last run took longer than its timeout */
	const char *options; /* of the policy "schedule"; NULL: none */
};

/* Makes a run that no count of the campaign includes. choices: NULL: as recorded. True if *result is filled. */
static bool stories_run(struct story *s, const struct rfs_execution *execution, const struct rfs_choices *choices,
			struct rfs_run_result *result)
{
	struct rfs_execution with = *execution;
	struct rfs_blob blob;
	enum rfs_pool_end end;
	char why[1024];

	if (choices) {
		rfs_choices_follow(choices, &blob, &with);
		with.spec.input.loose = with.spec.input.in != NULL;
		with.spec.policy_options = s->options;
	}
	s->runs++;
	end = rfs_pool_run_one(s->c->pool, &with, false, result, NULL, why, sizeof(why));
	s->over |= end != RFS_POOL_DONE;
	s->slow = end == RFS_POOL_DONE && result->end == RFS_END_TIMEOUT;
	if (end == RFS_POOL_INTERRUPTED)
		s->c->end = end;
	return !s->over;
}

static bool story_shows(void *arg, const struct rfs_choices *choices)
{
	struct story *s = arg;
	struct rfs_run_result result;
	bool same;

	if (!stories_run(s, &s->execution, choices, &result))
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
static bool stories_write_story(struct story *s, const struct rfs_run_result *result, const char *trace_path,
				struct rfs_report_shown *out)
{
	struct rfs_trace_stacks *stacks;
	struct rfs_trace_entry *trace;
	size_t n, size;
	char why[1024];
	FILE *text;

	if (rfs_trace_read(trace_path, &trace, &n, why, sizeof(why)))
		return false;
	stacks = rfs_trace_stacks_read(trace_path);
	text = xopen_memstream(&out->story, &size);
	rfs_schedule_text_write(&(struct rfs_schedule){s->c->symbols, result, trace, n, stacks}, STORY_LINES, text);
	fclose(text);
	out->story_switches = rfs_schedule_text_switches(trace, n);
	rfs_trace_stacks_free(stacks);
	free(trace);
	return true;
}

/*
 * Makes a run with a trace whose choices differ from those of the result by one, and that does not fail. If the result
 * is 1-minimal, leaving out any choice gives such a run. True if *result is filled.
 */
static bool make_passing(struct story *s, const struct rfs_choices *choices, const char *trace,
			 struct rfs_run_result *result)
{
	struct rfs_execution execution = s->execution;
	struct rfs_signature unused;

	execution.spec.trace.out = trace;
	execution.spec.trace.stacks = true;
	for (size_t i = choices->n; i-- > 0 && i + PASSING_TRIES >= choices->n;) {
		struct rfs_choices fewer = rfs_choices_without(choices, i, i + 1);
		bool made = stories_run(s, &execution, &fewer, result);

		free(fewer.list);
		if (!made)
			return false;
		if (rfs_run_conclusive(result) && !rfs_run_failed(result, &unused))
			return true;
		rfs_run_result_release(result);
	}
	return false;
}

/* Removes a trace, with its stacks. */
static void stories_remove(const char *trace)
{
	char *stacks = xasprintf("%s.stacks", trace);

	unlink(trace);
	unlink(stacks);
	free(stacks);
}

/* Compares the failed run with one that passes. Caller frees; NULL: no run that passes is known. */
static char *stories_difference(struct story *s, const struct rfs_choices *choices, const struct rfs_run_result *failed,
				const char *failed_trace)
{
	char *path = rfs_campaign_record(s->c, s->execution.name, "trace"), why[1024], *text = NULL;
	struct rfs_trace_entry *list[2] = {NULL, NULL};
	struct rfs_trace_stacks *stacks[2] = {rfs_trace_stacks_read(failed_trace), NULL};
	struct rfs_run_result passed = {0};
	size_t n[2];

	if (choices->n && make_passing(s, choices, path, &passed) &&
	    !rfs_trace_read(failed_trace, &list[0], &n[0], why, sizeof(why)) &&
	    !rfs_trace_read(path, &list[1], &n[1], why, sizeof(why))) {
		stacks[1] = rfs_trace_stacks_read(path);
		text = rfs_order_difference_text(
			&(struct rfs_schedule){s->c->symbols, failed, list[0], n[0], stacks[0]},
			&(struct rfs_schedule){s->c->symbols, &passed, list[1], n[1], stacks[1]});
	}
	stories_remove(path);
	rfs_run_result_release(&passed);
	for (int i = 0; i < 2; i++) {
		rfs_trace_stacks_free(stacks[i]);
		free(list[i]);
	}
	free(path);
	return text;
}

/* What the program does with these choices, if the policy "schedule" has this option. */
static enum rfs_report_without run_without(struct story *s, const struct rfs_choices *choices, const char *option)
{
	enum rfs_report_without what = RFS_WITHOUT_UNKNOWN;
	struct rfs_run_result result;
	struct rfs_signature unused;
	bool made;

	s->options = option;
	made = stories_run(s, &s->execution, choices, &result);
	s->options = NULL;
	if (!made)
		return RFS_WITHOUT_UNKNOWN;
	if (rfs_run_failed(&result, &unused))
		what = RFS_WITHOUT_FAILS;
	else if (rfs_run_conclusive(&result))
		what = RFS_WITHOUT_PASSES;
	rfs_run_result_release(&result);
	return what;
}

/*
 * Whether recorded input may contain what a fault has done: the result of a read that moved fewer bytes. A run without
 * the fault would be given this result, too.
 */
static bool input_has_faults(const struct story *s)
{
	if (s->execution.spec.input.in)
		for (size_t i = 0; i < s->wanted.n_faults; i++)
			if (s->wanted.faults[i].fault == RFS_FAULT_SHORT)
				return true;
	return false;
}

/* Whether the program does not fail with these choices if no store is delayed. */
static bool passes_without_delays(struct story *s, const struct rfs_choices *choices)
{
	return s->execution.spec.tso && run_without(s, choices, "no_delays=1") == RFS_WITHOUT_PASSES;
}

/* Makes the run with the choices that remain once more, with a trace, and writes its record. */
static void stories_finish(struct story *s, const struct rfs_saved_run *kept, const struct rfs_choices *choices,
			   struct rfs_report_shown *out, struct rfs_run_result *simple)
{
	struct rfs_execution execution = s->execution;
	struct rfs_blob blob;
	char *path[3], why[1024], *name;
	static const char *const suffixes[] = {"json", "trace", "input"};
	struct rfs_run_result result = {0};
	struct rfs_signature signature;

	name = xasprintf("%.50s-simple", kept->execution.name);
	for (int i = 0; i < 3; i++)
		path[i] = rfs_campaign_record(s->c, name, suffixes[i]);
	execution.spec.trace.out = path[1];
	execution.spec.trace.stacks = true;
	if (execution.spec.input.in)
		execution.spec.input.out = path[2];
	if (stories_run(s, &execution, choices, &result) && rfs_shows_the_same(&s->wanted, &result)) {
		rfs_choices_follow(choices, &blob, &execution);
		execution.spec.limits.timeout = kept->execution.spec.limits.timeout;
		if (execution.spec.input.in)
			execution.input = strrchr(path[2], '/') + 1;
		if (stories_write_story(s, &result, path[1], out) &&
		    rfs_record_write(path[0], &execution, &result, strrchr(path[1], '/') + 1, why, sizeof(why)) == 0)
			out->simple = xstrdup(path[0]);
		/* two statements explain a created race; the threads explain a deadlock */
		if (!kept->result.n_created && rfs_run_failed(&result, &signature) &&
		    signature.kind != RFS_FAILURE_DEADLOCK)
			out->differs = stories_difference(s, choices, &result, path[1]);
		out->needs_delays = rfs_run_failed(&result, &signature) && passes_without_delays(s, choices);
		if (!input_has_faults(s)) {
			free(out->faults); /* fewer may be left */
			out->faults = rfs_saved_run_report_faults(s->c, &result);
		}
		out->story_runs = s->runs;
	}
	if (out->simple)
		*simple = result;
	else
		rfs_run_result_release(&result);
	for (int i = 0; i < 3; i++)
		free(path[i]);
	free(name);
}

/* Why no simplified run shows what the saved run does. Caller frees. */
static char *why_no_story(const struct story *s)
{
	if (s->over)
		return xstrdup("the campaign ended before it was found");
	if (s->slow)
		return xasprintf("a run of %" PRIu64 " operations took longer than %.0f s", s->wanted.counts.steps,
				 s->execution.spec.limits.timeout);
	return xstrdup("the order of the threads alone does not give the same end");
}

void rfs_story_of(struct rfs_campaign *c, const struct rfs_saved_run *kept, struct rfs_report_shown *out,
		  struct rfs_run_result *simple)
{
	struct story s = {.c = c};
	const struct rfs_minimise search = {.shows = story_shows, .over = story_over, .arg = &s};
	const double timeout = kept->result.costs.wall_seconds * TIME_FACTOR;
	struct rfs_choices choices;
	uint64_t steps = kept->result.counts.steps;

	if (kept->replayed != RFS_REPLAY_SAME)
		return;
	if (rfs_ending_over(c)) {
		c->ending->stories++;
		out->no_story = xstrdup("there was no time at the end");
		return;
	}
	s.limit = steps ? STEPS_MAX / steps : RUNS_MAX;
	s.limit = s.limit > RUNS_MAX ? RUNS_MAX : s.limit < RUNS_MIN ? RUNS_MIN : s.limit;
	rfs_saved_run_execution(c, kept, &s.execution);
	snprintf(s.execution.name, sizeof(s.execution.name), "%.50s-story", kept->execution.name);
	s.execution.spec.wanted.schedule = true;
	if (s.execution.spec.limits.timeout <= 0 || timeout < s.execution.spec.limits.timeout)
		s.execution.spec.limits.timeout = timeout > TIME_MIN ? timeout : TIME_MIN;
	if (stories_run(&s, &s.execution, NULL, &s.wanted)) {
		choices = rfs_choices_of(&s.wanted);
		/* the failure may also depend on other actions of the policy; there is no story then */
		if (rfs_shows_the_same(&s.wanted, &s.wanted) && story_shows(&s, &choices)) {
			if (s.wanted.n_faults && !input_has_faults(&s))
				out->without_faults = run_without(&s, &choices, "no_faults=1");
			rfs_minimise(&search, &choices);
			out->story_cut = story_over(&s);
			stories_finish(&s, kept, &choices, out, simple);
		}
		free(choices.list);
	}
	if (!out->story)
		out->no_story = why_no_story(&s);
	rfs_run_result_release(&s.wanted);
}

static bool stories_is_named(const struct rfs_saved_run *kept, const char *name, size_t n)
{
	return strlen(kept->execution.name) == n && strncmp(kept->execution.name, name, n) == 0;
}

/* The saved run whose record has this path; NULL: there is none. */
static const struct rfs_saved_run *saved_run_of(const struct rfs_campaign *c, const char *record)
{
	const char *name = strrchr(record, '/') + 1;
	size_t n = strlen(name) - strlen(".json");

	for (size_t i = 0; i < c->findings->n; i++)
		if (stories_is_named(c->findings->list[i].first, name, n))
			return c->findings->list[i].first;
	for (size_t i = 0; i < c->pairs->n; i++) {
		const struct rfs_pair *pair = c->pairs->list[i];

		if (pair->has_created && stories_is_named(&pair->created, name, n))
			return &pair->created;
		for (size_t k = 0; k < pair->n_failures; k++)
			if (stories_is_named(&pair->failures[k].first, name, n))
				return &pair->failures[k].first;
	}
	return NULL;
}

static char *outcome_of(const struct rfs_run_result *result)
{
	struct rfs_signature signature;
	char *detail, *outcome;

	if (!rfs_run_failed(result, &signature))
		return xstrdup("a clean exit");
	detail = rfs_signature_detail(&signature);
	outcome = xasprintf("%s%s%s%s", rfs_failure_name(signature.kind), detail ? " (" : "", detail ? detail : "",
			    detail ? ")" : "");
	free(detail);
	return outcome;
}

/*
 * Writes the page NAME of a run, if its record has a trace. `template` has what both pages of a finding share. Returns
 * the path, which the caller frees, or NULL.
 */
static char *stories_write_page(struct rfs_campaign *c, struct rfs_page template, const struct rfs_run_result *result,
				const char *record_path, const char *name)
{
	char *folder = rfs_output_file(c->settings->output, "pages"), *path = xasprintf("%s/%s", folder, name);
	char *outcome = outcome_of(result), why[1024];
	struct rfs_record record;
	bool drawn = false;

	if (rfs_record_read(record_path, &record, why, sizeof(why)) == 0) {
		template.record = &record;
		template.record_path = record_path;
		template.result = result;
		template.symbols = c->symbols;
		template.outcome = outcome;
		if (record.trace && access(record.trace, R_OK) == 0 && (mkdir(folder, 0700) == 0 || errno == EEXIST)) {
			drawn = rfs_html_write(&template, path, why, sizeof(why)) == 0;
			if (!drawn)
				rfs_warnings_give(c->warnings, why);
		}
		rfs_record_release(&record);
	}
	if (!drawn) {
		free(path);
		path = NULL;
	}
	free(folder);
	free(outcome);
	return path;
}

/* The operations of a record. False: they cannot be read. */
static bool stories_trace(const char *record_path, struct rfs_trace_entry **trace, size_t *n,
			  struct rfs_trace_stacks **stacks)
{
	struct rfs_record record;
	char why[1024];
	bool read;

	if (rfs_record_read(record_path, &record, why, sizeof(why)) != 0)
		return false;
	read = record.trace && rfs_trace_read(record.trace, trace, n, why, sizeof(why)) == 0;
	*stacks = read ? rfs_trace_stacks_read(record.trace) : NULL;
	rfs_record_release(&record);
	return read;
}

/* If several violations make the program fail in this way: names the first one that took place in the run shown. */
static void choose_violation(struct rfs_campaign *c, struct rfs_report_failure *failure,
			     const struct rfs_run_result *result, const char *record_path,
			     const struct rfs_report *report)
{
	struct rfs_trace_entry *trace;
	struct rfs_trace_stacks *stacks;
	bool found = false;
	size_t n;

	if (!failure || !failure->violation || !stories_trace(record_path, &trace, &n, &stacks))
		return;
	for (size_t i = 0; i < report->violations.n && !found; i++) {
		const struct rfs_report_violation *violation = &report->violations.list[i];

		found = violation->harmful && violation->finding == failure->finding &&
			rfs_violation_is_in_trace(&c->violations->list[i]->violation, result, trace, n);
		if (found)
			failure->violation = violation;
	}
	rfs_trace_stacks_free(stacks);
	free(trace);
}

/* Names the signals that threads of a deadlock have missed. */
static void name_lost_signals(struct rfs_campaign *c, struct rfs_report_deadlock *deadlock,
			      const struct rfs_run_result *result, const char *record_path)
{
	struct rfs_schedule schedule = {.symbols = c->symbols, .result = result};
	struct rfs_trace_entry *trace;
	struct rfs_trace_stacks *stacks;

	if (!deadlock || !stories_trace(record_path, &trace, &schedule.n, &stacks))
		return;
	schedule.trace = trace;
	schedule.stacks = stacks;
	for (size_t i = 0; i < deadlock->n_threads; i++) {
		struct rfs_report_waiter *waiter = &deadlock->threads[i];
		const size_t at = rfs_lost_signal(trace, schedule.n, (unsigned)waiter->thread);

		if (at < schedule.n && !waiter->sent)
			waiter->sent = rfs_schedule_text_operation(&schedule, at);
	}
	rfs_trace_stacks_free(stacks);
	free(trace);
}

/*
 * Writes the page of a finding: the simplified run, which is easier to read, with a link to the recorded one. simple:
 * its result; NULL: there is only the recorded one.
 */
static void stories_draw(struct rfs_campaign *c, const struct rfs_saved_run *kept, const struct rfs_run_result *simple,
			 const struct rfs_report_item *item, const struct rfs_report *report)
{
	struct rfs_report_shown *shown = rfs_report_item_shown(item);
	const char *record = rfs_report_item_record(item);
	char *name = xasprintf("%s.html", kept->execution.name),
	     *other = xasprintf("%s-recorded.html", kept->execution.name);
	char *recorded = NULL, *title, *cause;
	struct rfs_page page = {.variable = item->pair ? item->pair->variable : NULL};

	choose_violation(c, item->failure, simple ? simple : &kept->result, simple ? shown->simple : record, report);
	name_lost_signals(c, item->deadlock, &kept->result, record);
	page.title = title = rfs_text_head(item);
	page.cause = cause = rfs_text_cause(item, report);
	if (simple) {
		page.other = name;
		page.other_is_simple = true;
		recorded = stories_write_page(c, page, &kept->result, record, other);
		page.other = recorded ? other : NULL;
		page.other_is_simple = false;
		shown->page = stories_write_page(c, page, simple, shown->simple, name);
	} else {
		page.not_simple = shown->no_story;
		shown->page = stories_write_page(c, page, &kept->result, record, name);
	}
	free(recorded);
	free(title);
	free(cause);
	free(name);
	free(other);
}

/*
 * Writes the page of an item of the group, unless an earlier item has the same run. simple: the result of the
 * simplified run; NULL: there is none.
 */
static void draw_item(struct rfs_campaign *c, const struct rfs_report_group *group, size_t number,
		      const struct rfs_run_result *simple, const struct rfs_report *report)
{
	const struct rfs_report_item *item = &group->items[number];
	const char *record = rfs_report_item_record(item);
	const struct rfs_saved_run *kept = record ? saved_run_of(c, record) : NULL;

	for (size_t i = 0; kept && i < number; i++) {
		const char *other = rfs_report_item_record(&group->items[i]);

		if (!other || strcmp(other, record) != 0)
			continue;
		if (rfs_report_item_shown(&group->items[i])->page)
			rfs_report_item_shown(item)->page = xstrdup(rfs_report_item_shown(&group->items[i])->page);
		return;
	}
	if (kept && kept->replayed == RFS_REPLAY_SAME)
		stories_draw(c, kept, rfs_report_item_shown(item)->simple ? simple : NULL, item, report);
}

/* True if the budget leaves no time for another page. */
static bool stories_is_late(const struct rfs_campaign *c)
{
	return c->options->budget > 0 && rfs_clock() >= c->started + c->options->budget;
}

void rfs_stories_add(struct rfs_campaign *c, struct rfs_report *report)
{
	size_t pages = 0, left_out = 0;
	struct rfs_run_result simple[STORIES] = {0};
	struct rfs_report_groups groups;

	rfs_report_groups_make(report, &groups);
	for (size_t i = 0; i < groups.n && i < STORIES; i++) {
		const struct rfs_report_item *item = &groups.list[i].items[0];
		const char *record = rfs_report_item_record(item);
		const struct rfs_saved_run *kept = record ? saved_run_of(c, record) : NULL;
		struct rfs_signature signature;

		/* a race without a failure is understood from its two statements, so only the first group gets one */
		if (kept && (i == 0 || rfs_run_failed(&kept->result, &signature)))
			rfs_story_of(c, kept, rfs_report_item_shown(item), &simple[i]);
	}
	for (size_t i = 0; i < groups.n; i++)
		for (size_t k = 0; k < groups.list[i].n && pages < PAGES; k++, pages++)
			if (stories_is_late(c))
				left_out++;
			else
				draw_item(c, &groups.list[i], k, i < STORIES && k == 0 ? &simple[i] : NULL, report);
	if (left_out) {
		char *line = xasprintf("%zu pages were not written, because the budget was used up; rfsup --replay "
				       "RECORD --html FILE writes the page of one run",
				       left_out);

		rfs_warnings_give(c->warnings, line);
		free(line);
	}
	for (size_t i = 0; i < STORIES; i++)
		rfs_run_result_release(&simple[i]);
	rfs_report_groups_release(&groups);
}
