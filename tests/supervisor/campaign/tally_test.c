/* tally_test.c - sums over several runs. */
#include "supervisor/campaign/executions/tally.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "policy/policy.h"
#include "supervisor/base/error.h"
#include "supervisor/campaign/decisions/baseline.h"
#include "supervisor/campaign/executions/warnings.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/nondet.h"
#include "supervisor/record/run_result.h"
#include "supervisor/symbols/symbolize.h"

TestSuite(tally, .timeout = 20);

static struct rfs_baseline baseline;
static struct rfs_warnings warnings;

static void begin(struct rfs_tally *tally)
{
	rfs_log_set_level(RFS_LOG_QUIET);
	rfs_tally_init(tally, rfs_symbols_new(), &baseline, &warnings);
}

static void end(struct rfs_tally *tally)
{
	rfs_symbols_free(tally->symbols);
	rfs_tally_release(tally);
	rfs_warnings_release(&warnings);
	rfs_baseline_release(&baseline);
}

Test(tally, sums_and_most)
{
	static char *names[] = {(char *)"child", (char *)"child", (char *)"other"};
	const struct rfs_execution execution = {.name = "run-7"};
	const struct rfs_run_result results[] = {
		{.counts.steps = 10,
		 .counts.stops = 1,
		 .counts.threads = 3,
		 .costs.cpu_seconds = 0.5,
		 .stubs.single = 4,
		 .n_created = 2,
		 .threaded = names,
		 .n_threaded = 3},
		{.end = RFS_END_TIMEOUT,
		 .counts.steps = 5,
		 .counts.threads = 2,
		 .stubs.groups = 3,
		 .nondet.kinds = 1 << RFS_NONDET_CLOCK},
		{.end = RFS_END_UNCONTROLLED,
		 .message = (char *)"lost",
		 .stubs.padded = 5,
		 .nondet.kinds = 1 << RFS_NONDET_CLOCK,
		 .counters = {[RFS_COUNTER_LIVELOCKS] = 6}},
	};
	struct rfs_tally tally;

	begin(&tally);
	for (size_t i = 0; i < 3; i++)
		rfs_tally_add(&tally, &execution, &results[i]);
	cr_expect(tally.runs == 3 && tally.steps == 15 && tally.stops == 1 && tally.races == 2);
	cr_expect(tally.timeouts == 1 && tally.n_uncontrolled == 1 && tally.livelocks == 6);
	cr_expect(tally.max_threads == 3 && tally.max_threaded == 3 && tally.n_threaded == 2);
	cr_expect(tally.stub_padded == 5 && tally.stub_single == 0 && tally.stub_groups == 0, "of one run");
	cr_expect_eq(tally.outside[RFS_NONDET_CLOCK], 2);
	cr_expect_str_eq(tally.uncontrolled, "run run-7: lost");
	cr_expect_eq(warnings.n, 2, "once for each name");
	cr_expect_eq(tally.first_failure, 0);
	end(&tally);
}

Test(tally, a_failure_of_every_plain_run_is_not_the_first)
{
	const struct rfs_execution execution = {.name = "run"};
	const struct rfs_run_result usual = {.detail = 1}, unusual = {.detail = 2};
	struct rfs_tally tally;

	begin(&tally);
	rfs_baseline_add(&baseline, &usual);
	rfs_tally_add(&tally, &execution, &usual);
	cr_expect_eq(tally.first_failure, 0);
	rfs_tally_add(&tally, &execution, &unusual);
	rfs_tally_add(&tally, &execution, &unusual);
	cr_expect_eq(tally.first_failure, 2);
	end(&tally);
}

Test(tally, a_file_that_changes_between_runs_is_outside_input)
{
	static uint64_t first[] = {1, 100, 2, 200}, same[] = {2, 200}, changed[] = {2, 201, 3, 300};
	const struct {
		uint64_t *words;
		size_t size;
		uint64_t outside;
	} steps[] = {
		{first, sizeof(first), 0},     {same, sizeof(same), 0},	  {changed, sizeof(changed), 1},
		{changed, sizeof(changed), 1}, {first, sizeof(first), 2},
	};
	const struct rfs_execution execution = {.name = "run"};
	struct rfs_tally tally;

	begin(&tally);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		const struct rfs_run_result result = {.nondet.files = {steps[i].words, steps[i].size}};

		rfs_tally_add(&tally, &execution, &result);
		cr_expect_eq(tally.outside[RFS_NONDET_FILES], steps[i].outside, "step %zu", i);
	}
	end(&tally);
}

/* The same mistake in the same code is one misuse, whatever thread makes it. */
Test(tally, each_misuse_once)
{
	struct rfs_place places[] = {{(char *)"prog", 0x10}, {(char *)"prog", 0x20}, {(char *)"other", 0x10}};
	const struct rfs_execution executions[] = {{.name = "run-3", .spec.seed = 3},
						   {.name = "run-4", .spec.seed = 4}};
	struct rfs_misuse first[] = {
		{.kind = RFS_MISUSE_UNLOCK_FREE, .thread = 1, .stack = &places[0], .n_stack = 1},
		{.kind = RFS_MISUSE_DESTROY_HELD, .thread = 1, .stack = &places[0], .n_stack = 1},
	};
	struct rfs_misuse second[] = {
		{.kind = RFS_MISUSE_UNLOCK_FREE, .thread = 2, .stack = &places[0], .n_stack = 1},
		{.kind = RFS_MISUSE_UNLOCK_FREE, .thread = 2, .stack = &places[1], .n_stack = 1},
		{.kind = RFS_MISUSE_UNLOCK_FREE, .thread = 2, .stack = &places[2], .n_stack = 1},
		{.kind = RFS_MISUSE_FREE_HELD, .thread = 2, .earlier = &places[0], .n_earlier = 1},
	};
	const struct rfs_run_result results[] = {{.misuses = first, .n_misuses = 2},
						 {.misuses = second, .n_misuses = 4}};
	struct rfs_tally tally;

	begin(&tally);
	for (int i = 0; i < 2; i++)
		rfs_tally_add(&tally, &executions[i], &results[i]);
	cr_assert_eq(tally.misuses.n, 5);
	cr_expect_eq(tally.misuses.list[0].runs, 2);
	cr_expect_eq(tally.misuses.list[0].seed, 3);
	cr_expect_eq(tally.misuses.list[0].misuse.thread, 1);
	cr_expect_eq(tally.misuses.list[1].runs, 1);
	cr_expect_eq(tally.misuses.list[4].seed, 4);
	end(&tally);
}
