/* passes_test.c - executions in two passes, with artificial runs. */
#include "supervisor/pool/passes.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "policy/passes.h"
#include "policy/policy.h"
#include "policy/registry.h"
#include "supervisor/base/alloc.h"
#include "supervisor/pool/job.h"
#include "supervisor/pool/journal.h"
#include "supervisor/pool/wire.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/lessons.h"
#include "supervisor/record/run_result.h"
#include "tests/supervisor/scratch.h"

TestSuite(passes, .timeout = 60);

/* What the runs do, by their seed. */
enum {
	NO_RACES,      /* the first pass finds no place */
	RACES,	       /* the second pass finds a pair */
	DIFFERS,       /* the second pass is another run */
	FAILS_DIFFERS, /* the first pass fails, and the second one is another run */
	TIMES_OUT,     /* the first pass times out */
	LEARNS_LATE,   /* the second pass learns a spin read */
	SPINS,	       /* the first pass learns a spin read */
	DIES,	       /* the second pass has no answer */
	FAILS_DIES,    /* the first pass fails, and the second one has no answer */
	MOVES,	       /* the second pass has other addresses */
	FAILS_ONCE,    /* the second pass fails, and the first one did not */
	FAILS_BREAKS,  /* the first pass fails, and the second one cannot be made */
	SLOWS_DOWN,    /* the second pass times out */
	TOLD_DIFFERS,  /* rfsup has ended the first pass by SIGTERM, and the second one is another run */
	SPOILS,	       /* the first pass fails and overwrites the table */
	RUNS
};

static const struct rfs_detector_ops *hybrid(void)
{
	return rfs_detector_find("hybrid");
}

static void restart(struct rfs_run_result *out)
{
	out->end = RFS_END_RESTART;
	out->restart = RFS_RESTART_SPIN_READ;
	out->spin = xcalloc(1, sizeof(*out->spin));
	out->spin[0].module = xstrdup("module");
	out->n_spin = 1;
}

static void predict(struct rfs_run_result *out, size_t n)
{
	out->prediction.races = xcalloc(n, sizeof(*out->prediction.races));
	out->prediction.n = n;
}

/* counts.steps: 1 in the first pass, 2 in the second one, 3 without passes. A run without passes finds two pairs. */
static int passes(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	const struct rfs_blob *blob = spec->detector_blob;

	(void)why;
	(void)n;
	memset(out, 0, sizeof(*out));
	out->costs.wall_seconds = 1;
	if (spec->detector == hybrid()->passes->first) {
		out->counts.steps = 1;
		if (spec->seed != NO_RACES)
			out->suspects = (struct rfs_blob){xstrdup("checksum, places"), 17};
		if (spec->seed == FAILS_DIFFERS || spec->seed == FAILS_DIES || spec->seed == FAILS_BREAKS ||
		    spec->seed == SPOILS)
			out->end = RFS_END_SIGNAL;
		out->overwritten = spec->seed == SPOILS;
		if (spec->seed == TOLD_DIFFERS) {
			out->end = RFS_END_SIGNAL;
			out->detail = SIGTERM;
			out->told_to_end = true;
		}
		if (spec->seed == TIMES_OUT)
			out->end = RFS_END_TIMEOUT;
		if (spec->seed == SPINS && !spec->lessons.n_spin)
			restart(out);
	} else if (spec->detector == hybrid()->passes->second) {
		if (spec->seed == DIES || spec->seed == FAILS_DIES)
			_exit(9);
		if (spec->seed == FAILS_BREAKS)
			return -EIO;
		out->counts.steps = 2;
		predict(out, blob && blob->size == 17 && memcmp(blob->data, "checksum, places", 17) == 0 ? 1 : 5);
		out->suspects = (struct rfs_blob){xstrdup(spec->seed == MOVES ? "another." : "checksum"), 8};
		if (spec->seed == DIFFERS || spec->seed == FAILS_DIFFERS)
			out->hash[1] = 1;
		if (spec->seed == FAILS_ONCE) {
			out->end = RFS_END_DEADLOCK;
			out->restart = RFS_RESTART_LOCK;
		}
		if (spec->seed == SLOWS_DOWN)
			out->end = RFS_END_TIMEOUT;
		if (spec->seed == LEARNS_LATE && !spec->lessons.n_spin)
			restart(out);
	} else if (spec->detector == hybrid()) {
		out->counts.steps = 3;
		predict(out, 2);
	}
	return 0;
}

struct seen {
	bool once;
	struct {
		uint64_t steps, pairs, warnings;
		double seconds;
		enum rfs_run_end end;
	} runs[RUNS];
	size_t n;
};

static void make(void *arg, uint64_t i, struct rfs_execution *out)
{
	const struct seen *seen = arg;

	snprintf(out->name, sizeof(out->name), "run-%d", (int)i);
	out->spec.seed = i;
	out->spec.detector = hybrid();
	out->two_passes = !seen->once;
}

static bool done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct seen *seen = arg;

	cr_assert_eq(i, seen->n++);
	cr_expect_eq(execution->spec.detector, hybrid(), "run %d", (int)i);
	cr_expect_null(execution->spec.detector_blob);
	cr_expect_null(execution->spec.input.in);
	seen->runs[i].steps = result->counts.steps;
	seen->runs[i].pairs = result->prediction.n;
	seen->runs[i].warnings = result->n_warnings;
	seen->runs[i].seconds = result->costs.wall_seconds;
	seen->runs[i].end = result->end;
	return false;
}

static void run(struct seen *seen, unsigned jobs)
{
	const struct rfs_pool_settings settings = {.run = passes, .jobs = jobs, .cancel_fd = -1};
	const struct rfs_batch batch = {.n = RUNS, .make = make, .done = done, .arg = seen};
	struct rfs_pool *pool;
	char why[256] = "";

	cr_assert_eq(rfs_pool_new(&settings, &pool), 0);
	cr_assert_eq(rfs_pool_run(pool, &batch, why, sizeof(why)), RFS_POOL_DONE, "%s", why);
	cr_assert_eq(seen->n, RUNS);
	rfs_pool_free(pool);
}

Test(passes, are_one_execution_with_one_result)
{
	static const struct {
		uint64_t steps, pairs, warnings;
		double seconds;
		enum rfs_run_end end;
	} expected[RUNS] = {
		[NO_RACES] = {1, 0, 0, 1, RFS_END_EXIT},       [RACES] = {1, 1, 0, 2, RFS_END_EXIT},
		[DIFFERS] = {3, 2, 1, 1, RFS_END_EXIT},	       [FAILS_DIFFERS] = {1, 0, 1, 1, RFS_END_SIGNAL},
		[TIMES_OUT] = {3, 2, 0, 1, RFS_END_EXIT},      [SPINS] = {1, 1, 0, 2, RFS_END_EXIT},
		[DIES] = {0, 0, 0, 0, RFS_END_UNCONTROLLED},   [FAILS_DIES] = {1, 0, 1, 1, RFS_END_SIGNAL},
		[LEARNS_LATE] = {3, 2, 1, 1, RFS_END_EXIT},    [MOVES] = {3, 2, 1, 1, RFS_END_EXIT},
		[FAILS_ONCE] = {2, 1, 1, 1, RFS_END_DEADLOCK}, [FAILS_BREAKS] = {1, 0, 1, 1, RFS_END_SIGNAL},
		[SLOWS_DOWN] = {3, 2, 0, 1, RFS_END_EXIT},     [TOLD_DIFFERS] = {3, 2, 1, 1, RFS_END_EXIT},
		[SPOILS] = {1, 0, 1, 1, RFS_END_SIGNAL},
	};

	for (unsigned jobs = 1; jobs <= 4; jobs += 3) {
		struct seen seen = {0};

		run(&seen, jobs);
		for (size_t i = 0; i < RUNS; i++) {
			cr_expect_eq(seen.runs[i].steps, expected[i].steps, "run %zu: steps %lu", i,
				     seen.runs[i].steps);
			cr_expect_eq(seen.runs[i].pairs, expected[i].pairs, "run %zu: pairs %lu", i,
				     seen.runs[i].pairs);
			cr_expect_eq(seen.runs[i].warnings, expected[i].warnings, "run %zu", i);
			cr_expect_eq(seen.runs[i].seconds, expected[i].seconds, "run %zu", i);
			cr_expect_eq(seen.runs[i].end, expected[i].end, "run %zu", i);
		}
	}
}

Test(passes, are_made_only_if_asked_for)
{
	struct seen seen = {.once = true};

	run(&seen, 1);
	for (size_t i = 0; i < RUNS; i++) {
		cr_expect_eq(seen.runs[i].steps, 3, "run %zu", i);
		cr_expect_eq(seen.runs[i].pairs, 2, "run %zu", i);
	}
}

static int stop[2]; /* a pipe: a byte in it stops the pool */

/* The first pass fails, and the pool is stopped while the second one runs. */
static int fails_then_stops(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	if (spec->detector != hybrid()->passes->second)
		return passes(spec, out, why, n);
	if (write(stop[1], "", 1) == 1)
		pause();
	_exit(9);
}

static void make_failing(void *arg, uint64_t i, struct rfs_execution *out)
{
	make(arg, i, out);
	out->spec.seed = FAILS_DIES;
}

/* Such an execution is handed over, so that the failure is not lost. But it has predicted nothing, so a campaign that
 * continues makes it again. */
Test(passes, a_failure_without_a_second_pass_is_not_in_the_journal)
{
	char *scratch = scratch_enter(), *const strings[] = {NULL}, why[256] = "";
	struct rfs_pool_settings settings = {.run = fails_then_stops, .jobs = 1};
	struct seen seen = {0};
	const struct rfs_batch batch = {.n = 1, .make = make_failing, .done = done, .arg = &seen};
	struct rfs_lessons used = {0};
	struct rfs_reply reply = {0};
	struct rfs_pool *pool;

	cr_assert_eq(pipe(stop), 0);
	settings.cancel_fd = stop[0];
	cr_assert_eq(rfs_journal_new("journal", strings, 0, &settings.journal), 0);
	cr_assert_eq(rfs_pool_new(&settings, &pool), 0);
	cr_assert_eq(rfs_pool_run(pool, &batch, why, sizeof(why)), RFS_POOL_INTERRUPTED, "%s", why);
	cr_expect_eq(seen.n, 1);
	cr_expect_eq(seen.runs[0].end, RFS_END_SIGNAL);
	cr_expect_eq(seen.runs[0].warnings, 1);
	rfs_pool_free(pool);
	rfs_journal_free(settings.journal);
	cr_assert_eq(rfs_journal_open("journal", &settings.journal), 0);
	cr_expect_not(rfs_journal_take(settings.journal, "run-0", &used, &reply));
	rfs_journal_free(settings.journal);
	scratch_leave(scratch);
}
