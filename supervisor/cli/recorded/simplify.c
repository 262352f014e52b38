/*
 * simplify.c - rfsup --simplify FILE: makes the run of a record with fewer and fewer of its choices (minimise.h), and
 * writes and prints the result.
 */
#include "supervisor/cli/recorded/simplify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/tree.h"
#include "supervisor/campaign/decisions/minimise.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/cli/recorded/replay.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/record.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/trace_file.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/text/schedule_text.h"
#include "supervisor/symbols/symbolize.h"

struct simplification {
	struct rfs_record record;
	struct rfs_symbols *symbols;
	struct rfs_pool *pool;
	struct rfs_run_result wanted; /* the result of the recorded run, made again */
	uint64_t tries;
	enum rfs_exit exit; /* RFS_EXIT_CLEAN: more runs may be made; other values: no more runs */

	/* The last run that showed the failure, and its files, so that there is a result even after Ctrl-C. */
	bool has_best;
	struct rfs_run_result best;
	struct rfs_choices choices; /* of that run; owned */
	char *trace_best, *input_best;
	char *trace_tried, *input_tried; /* of the run in progress */
	char *trace_path, *input_path;	 /* of the result */
};

/* Makes one run with these choices; choices NULL: with the recorded choices. False if there is no result. */
static bool simplify_run(struct simplification *s, const struct rfs_choices *choices, struct rfs_run_result *result)
{
	struct rfs_execution execution = s->record.execution;
	struct rfs_blob blob;
	char why[1024] = "";

	snprintf(execution.name, sizeof(execution.name), "simplify");
	execution.spec.wanted.schedule = true;
	execution.spec.input.in = s->record.input;
	if (choices) {
		execution.spec.trace.out = s->trace_tried;
		execution.spec.input.loose = s->record.input != NULL;
		execution.spec.input.out = s->record.input ? s->input_tried : NULL;
		rfs_choices_follow(choices, &blob, &execution);
	}
	s->tries++;
	switch (rfs_pool_run_one(s->pool, &execution, false, result, NULL, why, sizeof(why))) {
	case RFS_POOL_DONE:
		return true;
	case RFS_POOL_FAILED:
		rfs_error("%s", why);
		s->exit = RFS_EXIT_INPUT;
		return false;
	default:
		s->exit = RFS_EXIT_INCOMPLETE;
		return false;
	}
}

/* The last run becomes the best one, with its files. Takes *result. */
static void simplify_keep(struct simplification *s, const struct rfs_choices *choices, struct rfs_run_result *result)
{
	rfs_run_result_release(&s->best);
	free(s->choices.list);
	s->best = *result;
	s->choices = rfs_choices_without(choices, 0, 0);
	s->has_best = true;
	if (rename(s->trace_tried, s->trace_best) || (s->record.input && rename(s->input_tried, s->input_best))) {
		rfs_error("cannot write %s: %s", s->trace_best, strerror(errno));
		s->exit = RFS_EXIT_INPUT;
	}
}

static bool shows(void *arg, const struct rfs_choices *choices)
{
	struct simplification *s = arg;
	struct rfs_run_result result;

	if (s->exit != RFS_EXIT_CLEAN || !simplify_run(s, choices, &result))
		return false;
	if (!rfs_shows_the_same(&s->wanted, &result)) {
		rfs_run_result_release(&result);
		return false;
	}
	simplify_keep(s, choices, &result);
	return s->exit == RFS_EXIT_CLEAN;
}

static bool simplify_is_over(void *arg)
{
	const struct simplification *s = arg;

	return s->exit != RFS_EXIT_CLEAN;
}

static char *simple_name(const char *path, const char *suffix)
{
	size_t n = strlen(path);

	if (n > 5 && strcmp(path + n - 5, ".json") == 0)
		n -= 5;
	return xasprintf("%.*s-simple.%s", (int)n, path, suffix);
}

static void tell_end(struct simplification *s, const struct rfs_run_result *result)
{
	struct rfs_signature signature;
	char *detail, *where;

	if (!rfs_run_failed(result, &signature)) {
		printf("then both threads are parked at the two statements of the race\n");
		return;
	}
	detail = rfs_signature_detail(&signature);
	printf("then: %s%s%s", rfs_failure_name(signature.kind), detail ? " " : "", detail ? detail : "");
	for (size_t i = 0; i < result->n_fault; i++) {
		if (!result->fault[i].module || strcmp(result->fault[i].module, result->modules[0].path) != 0)
			continue;
		where = rfs_symbols_text(s->symbols, &result->fault[i], i > 0);
		printf(" at %s", where);
		free(where);
		break;
	}
	printf("\n");
	free(detail);
}

/* Writes the record of the best run, and prints the run. */
static enum rfs_exit simplify_finish(struct simplification *s, const char *path)
{
	char *record_path = simple_name(path, "json"), why[1024] = "";
	struct rfs_execution execution = s->record.execution;
	struct rfs_blob blob;
	enum rfs_exit exit = s->exit == RFS_EXIT_CLEAN ? RFS_EXIT_FINDING : s->exit;
	struct rfs_trace_entry *trace;
	struct rfs_trace_stacks *stacks;
	size_t n;

	rfs_choices_follow(&s->choices, &blob, &execution);
	if (s->record.input)
		execution.input = strrchr(s->input_path, '/') + 1;
	if (rename(s->trace_best, s->trace_path) || (s->record.input && rename(s->input_best, s->input_path))) {
		rfs_error("cannot write %s: %s", s->trace_path, strerror(errno));
		free(record_path);
		return RFS_EXIT_INPUT;
	}
	/* relative names keep their meaning: the new record is in the same folder and has the same working directory */
	if (rfs_record_write(record_path, &execution, &s->best, strrchr(s->trace_path, '/') + 1, why, sizeof(why)) ||
	    rfs_trace_read(s->trace_path, &trace, &n, why, sizeof(why))) {
		rfs_error("%s", why);
		exit = RFS_EXIT_INPUT;
	} else {
		printf("%" PRIu64 " switches, %" PRIu64 " of them preemptions (recorded: %" PRIu64
		       " preemptions); simplified in %" PRIu64 " runs\n\n",
		       rfs_schedule_text_switches(trace, n), s->best.counts.preemptions, s->wanted.counts.preemptions,
		       s->tries);
		stacks = rfs_trace_stacks_read(s->trace_path);
		rfs_schedule_text_write(&(struct rfs_schedule){s->symbols, &s->best, trace, n, stacks},
					RFS_SCHEDULE_SCREEN, stdout);
		rfs_trace_stacks_free(stacks);
		tell_end(s, &s->best);
		printf("\nsee it again: rfsup --replay %s\n", record_path);
		free(trace);
	}
	free(record_path);
	return exit;
}

static enum rfs_exit simplify(struct simplification *s, const char *path)
{
	const struct rfs_minimise search = {.shows = shows, .over = simplify_is_over, .arg = s};
	struct rfs_choices choices;

	if (!simplify_run(s, NULL, &s->wanted))
		return s->exit;
	if (s->record.ended && (s->wanted.end != s->record.end || s->wanted.detail != s->record.detail ||
				s->wanted.hash[0] != s->record.hash[0])) {
		rfs_error("simplify: the recorded run cannot be reproduced; rfsup --replay shows where it differs");
		return RFS_EXIT_UNCONTROLLED;
	}
	if (!rfs_shows_the_same(&s->wanted, &s->wanted)) {
		rfs_error("simplify: the recorded run neither failed nor created a race; there is nothing to simplify");
		return RFS_EXIT_INPUT;
	}
	choices = rfs_choices_of(&s->wanted);
	if (!shows(s, &choices) && s->exit == RFS_EXIT_CLEAN) {
		rfs_error("simplify: the recorded choices alone do not reproduce the failure; it also depends on other "
			  "actions of the policy%s",
			  s->record.input ? ", or on the time when outside input arrived" : "");
		s->exit = RFS_EXIT_UNCONTROLLED;
	}
	rfs_minimise(&search, &choices);
	free(choices.list);
	if (s->exit == RFS_EXIT_INCOMPLETE)
		rfs_error("simplify: interrupted after %" PRIu64 " runs; %s", s->tries,
			  s->has_best ? "the result so far is written" : "there is no result yet");
	return s->has_best ? simplify_finish(s, path) : s->exit;
}

/* All files are beside the record, so that they can be renamed. */
static void name_files(struct simplification *s, const char *path)
{
	s->trace_path = simple_name(path, "trace");
	s->input_path = simple_name(path, "input");
	s->trace_best = simple_name(path, "trace-best");
	s->input_best = simple_name(path, "input-best");
	s->trace_tried = simple_name(path, "trace-tried");
	s->input_tried = simple_name(path, "input-tried");
}

static void simplify_release(struct simplification *s)
{
	char *const names[] = {s->trace_tried, s->input_tried, s->trace_best, s->input_best};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		unlink(names[i]);
		free(names[i]);
	}
	free(s->trace_path);
	free(s->input_path);
	free(s->choices.list);
	rfs_run_result_release(&s->best);
	rfs_run_result_release(&s->wanted);
}

enum rfs_exit rfs_simplify(const char *path, double timeout, bool trusted, int cancel_fd, rfs_run_fn *run_fn)
{
	const char *base = getenv("TMPDIR");
	struct simplification s = {.symbols = rfs_symbols_new(), .exit = RFS_EXIT_CLEAN};
	char *folder = xasprintf("%s/rfsup-simplify-XXXXXX", base && *base ? base : "/tmp");
	char *absolute = realpath(path, NULL);
	const struct rfs_pool_settings settings = {.run = run_fn, .jobs = 1, .output = folder, .cancel_fd = cancel_fd};
	enum rfs_exit exit = rfs_replay_prepare(s.symbols, path, trusted, &s.record);

	if (exit == RFS_EXIT_CLEAN) {
		if (!mkdtemp(folder))
			die("cannot create a directory in %s", base && *base ? base : "/tmp");
		s.record.execution.lessons = &s.record.lessons;
		if (timeout > 0)
			s.record.execution.spec.limits.timeout = timeout;
		if (rfs_pool_new(&settings, &s.pool))
			die("cannot start a job");
		name_files(&s, absolute);
		exit = simplify(&s, absolute);
		rfs_pool_free(s.pool);
		if (s.record.execution.spec.job.fresh_root)
			rmdir(s.record.execution.spec.job.fresh_root);
		if (rfs_tree_remove(folder))
			rfs_warn("cannot remove %s", folder);
		simplify_release(&s);
		rfs_record_release(&s.record);
	}
	free(absolute);
	free(folder);
	rfs_symbols_free(s.symbols);
	return exit;
}
