/*
 * simplify.c - rfsup --simplify FILE: makes the run of a record with fewer and fewer of its choices (minimise.h), and
 * writes and prints the result.
 */
#include "supervisor/cli/simplify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/tree.h"
#include "supervisor/campaign/minimise.h"
#include "supervisor/campaign/verdict.h"
#include "supervisor/cli/replay.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/record.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/trace_file.h"
#include "supervisor/report/report.h"
#include "supervisor/report/schedule_text.h"
#include "supervisor/symbols/symbolize.h"

struct simplification {
	struct rfs_record record;
	struct rfs_symbols *symbols;
	struct rfs_pool *pool;
	struct rfs_run_result wanted; /* the result of the recorded run, made again */
	uint64_t tries;
	enum rfs_exit exit; /* RFS_EXIT_CLEAN: more runs may be made; other values: no more runs */
};

/*
 * Makes one run with these choices; choices NULL: with the recorded choices. trace, input: files for the run's trace
 * and its recorded input; NULL: not written. False if there is no result.
 */
static bool run(struct simplification *s, const struct rfs_choices *choices, const char *trace, const char *input,
		struct rfs_run_result *result)
{
	struct rfs_execution execution = s->record.execution;
	struct rfs_blob blob;
	char why[1024] = "";

	snprintf(execution.name, sizeof(execution.name), "simplify");
	execution.spec.note_schedule = true;
	execution.spec.trace_out = trace;
	execution.spec.input_in = s->record.input;
	if (choices) {
		execution.spec.input_loose = s->record.input != NULL;
		execution.spec.input_out = s->record.input ? input : NULL;
		rfs_choices_follow(choices, &blob, &execution);
	}
	s->tries++;
	switch (rfs_pool_run_one(s->pool, &execution, false, result, NULL, why, sizeof(why))) {
	case RFS_POOL_DONE:
		return true;
	case RFS_POOL_FAILED:
		rfs_warn("%s", why);
		s->exit = RFS_EXIT_INPUT;
		return false;
	default:
		s->exit = RFS_EXIT_INCOMPLETE;
		return false;
	}
}

static bool shows(void *arg, const struct rfs_choices *choices)
{
	struct simplification *s = arg;
	struct rfs_run_result result;
	bool same;

	if (s->exit != RFS_EXIT_CLEAN || !run(s, choices, NULL, NULL, &result))
		return false;
	same = rfs_shows_the_same(&s->wanted, &result);
	rfs_run_result_release(&result);
	return same;
}

static bool is_over(void *arg)
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

/* Makes the run with the remaining choices once more, with a trace. Writes its record and prints it. */
static enum rfs_exit finish(struct simplification *s, const struct rfs_choices *choices, const char *path)
{
	char *trace_path = simple_name(path, "trace"), *record_path = simple_name(path, "json");
	char *input_path = simple_name(path, "input"), why[1024] = "";
	struct rfs_execution execution = s->record.execution;
	struct rfs_blob blob;
	enum rfs_exit exit = s->exit;
	struct rfs_trace_entry *trace;
	struct rfs_run_result result;
	size_t n;

	/* after Ctrl-C no more runs are made, so the result is not shown */
	if (exit != RFS_EXIT_CLEAN || !run(s, choices, trace_path, input_path, &result)) {
		rfs_warn("simplify: interrupted after %" PRIu64 " runs", s->tries);
		exit = s->exit;
		goto out;
	}
	exit = RFS_EXIT_FINDING;
	rfs_choices_follow(choices, &blob, &execution);
	if (s->record.input)
		execution.input = strrchr(input_path, '/') + 1;
	/* relative names keep their meaning: the new record is in the same folder and has the same working directory */
	if (rfs_record_write(record_path, &execution, &result, strrchr(trace_path, '/') + 1, why, sizeof(why)) ||
	    rfs_trace_read(trace_path, &trace, &n, why, sizeof(why))) {
		rfs_warn("%s", why);
		exit = RFS_EXIT_INPUT;
	} else {
		printf("%" PRIu64 " switches, %" PRIu64 " of them preemptions (recorded: %" PRIu64
		       " preemptions); simplified in %" PRIu64 " runs\n\n",
		       rfs_schedule_text_switches(trace, n), result.counts.preemptions, s->wanted.counts.preemptions,
		       s->tries);
		rfs_schedule_text_write(s->symbols, &result, trace, n, RFS_SCHEDULE_SCREEN, stdout);
		tell_end(s, &result);
		printf("\nsee it again: rfsup --replay %s\n", record_path);
		free(trace);
	}
	rfs_run_result_release(&result);
out:
	free(trace_path);
	free(input_path);
	free(record_path);
	return exit;
}

static enum rfs_exit simplify(struct simplification *s, const char *path)
{
	const struct rfs_minimise search = {.shows = shows, .over = is_over, .arg = s};
	struct rfs_choices choices;
	enum rfs_exit exit;

	if (!run(s, NULL, NULL, NULL, &s->wanted))
		return s->exit;
	if (s->record.ended && (s->wanted.end != s->record.end || s->wanted.detail != s->record.detail ||
				s->wanted.hash[0] != s->record.hash[0])) {
		rfs_warn("simplify: the recorded run cannot be reproduced; rfsup --replay shows where it differs");
		return RFS_EXIT_UNCONTROLLED;
	}
	if (!rfs_shows_the_same(&s->wanted, &s->wanted)) {
		rfs_warn("simplify: the recorded run neither failed nor created a race; there is nothing to simplify");
		return RFS_EXIT_INPUT;
	}
	choices = rfs_choices_of(&s->wanted);
	if (!shows(s, &choices) && s->exit == RFS_EXIT_CLEAN) {
		rfs_warn("simplify: the recorded choices alone do not reproduce the failure; it also depends on other "
			 "actions of the policy%s",
			 s->record.input ? ", or on the time when outside input arrived" : "");
		exit = RFS_EXIT_UNCONTROLLED;
	} else {
		rfs_minimise(&search, &choices);
		exit = finish(s, &choices, path);
	}
	free(choices.list);
	return exit;
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
			s.record.execution.spec.timeout = timeout;
		if (rfs_pool_new(&settings, &s.pool))
			die("cannot start a job");
		exit = simplify(&s, absolute);
		rfs_pool_free(s.pool);
		if (s.record.execution.spec.fresh_root)
			rmdir(s.record.execution.spec.fresh_root);
		if (rfs_tree_remove(folder))
			rfs_warn("cannot remove %s", folder);
		rfs_run_result_release(&s.wanted);
		rfs_record_release(&s.record);
	}
	free(absolute);
	free(folder);
	rfs_symbols_free(s.symbols);
	return exit;
}
