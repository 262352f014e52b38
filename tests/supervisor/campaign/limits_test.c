/* limits_test.c - when an execution counts as a hang. */
#include "supervisor/campaign/decisions/limits.h"

#include <criterion/criterion.h>

#include "supervisor/campaign/decisions/baseline.h"
#include "supervisor/record/run_result.h"

TestSuite(limits, .timeout = 20);

static void expect(const struct rfs_limits *limits, double cpu_limit, uint64_t step_limit, uint64_t spin_free, size_t i)
{
	cr_expect_float_eq(limits->cpu_limit, cpu_limit, 1e-9, "case %zu: %g s", i, limits->cpu_limit);
	cr_expect_eq(limits->step_limit, step_limit, "case %zu: %llu steps", i, (unsigned long long)limits->step_limit);
	cr_expect_eq(limits->spin_free, spin_free, "case %zu: %llu spins", i, (unsigned long long)limits->spin_free);
}

Test(limits, by_plain_runs)
{
	static const struct {
		struct rfs_baseline baseline;
		double factor, cpu_limit;
		uint64_t step_limit;
	} cases[] = {
		{{.runs = 0, .timeouts = 3, .cpu_seconds = 9}, 10, 0, 0}, /* no run ended */
		{{.runs = 10, .cpu_seconds = 0}, 10, 1, 100000},	  /* the lowest possible limits */
		{{.runs = 10, .cpu_seconds = 0.001}, 10, 2, 2000000},
		{{.runs = 10, .cpu_seconds = 0.001}, 2, 1, 400000},
		{{.runs = 10, .cpu_seconds = 1}, 10, 2000, 2000000000},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_limits limits;

		rfs_limits_init(&limits, cases[i].factor);
		expect(&limits, 0, 0, 0, i);
		rfs_limits_by_plain_runs(&limits, &cases[i].baseline);
		expect(&limits, cases[i].cpu_limit, cases[i].step_limit, 0, i);
		cr_expect_not(limits.settled);
	}
}

Test(limits, by_a_measured_run)
{
	static const struct rfs_baseline baseline = {.runs = 10, .cpu_seconds = 0.001};
	struct rfs_limits limits;

	rfs_limits_init(&limits, 10);
	rfs_limits_by_plain_runs(&limits, &baseline);
	rfs_limits_by_measured_run(&limits, &baseline, 0);
	expect(&limits, 2, 2000000, 0, 0); /* the run did not end, so nothing changes */
	rfs_limits_by_measured_run(&limits, &baseline, 20000);
	expect(&limits, 2, 200000, 2000000, 1);
	cr_expect_eq(limits.steps, 20000);
}

/* A program that was refused memory ends early, which says nothing about others. */
Test(limits, runs_with_faults_do_not_count)
{
	static const struct rfs_baseline baseline = {.runs = 10, .cpu_seconds = 0.001};
	struct rfs_fault_taken taken = {.fault = RFS_FAULT_MALLOC};
	struct rfs_run_result result = {
		.end = RFS_END_EXIT, .counts.steps = 1, .costs.cpu_seconds = 0.001, .faults = &taken, .n_faults = 1};
	struct rfs_limits limits;

	rfs_limits_init(&limits, 10);
	rfs_limits_by_plain_runs(&limits, &baseline);
	rfs_limits_note(&limits, &result);
	rfs_limits_by_controlled_runs(&limits, &baseline);
	expect(&limits, 2, 2000000, 0, 0);
	cr_expect_not(limits.settled);
	result.n_faults = 0;
	result.counts.steps = 50000;
	rfs_limits_note(&limits, &result);
	rfs_limits_by_controlled_runs(&limits, &baseline);
	expect(&limits, 1, 500000, 0, 1);
	cr_expect(limits.settled);
}

Test(limits, stops_at_one_statement)
{
	static const struct rfs_baseline baseline = {.runs = 10, .cpu_seconds = 0.001};
	static const struct {
		uint64_t steps, stops;
	} cases[] = {{0, 2000}, {1, 2000}, {1000, 2000}, {20000, 40000}, {50000, 100000}, {9999999, 100000}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_limits limits;

		rfs_limits_init(&limits, 10);
		rfs_limits_by_measured_run(&limits, &baseline, cases[i].steps);
		rfs_limits_by_controlled_runs(&limits, &baseline);
		cr_expect_eq(limits.stops_per_run, cases[i].stops, "case %zu: %llu", i,
			     (unsigned long long)limits.stops_per_run);
	}
}

Test(limits, by_the_largest_controlled_run_that_ended)
{
	static const struct rfs_baseline baseline = {.runs = 10, .cpu_seconds = 0.25};
	static const struct {
		struct rfs_run_result runs[2];
		uint64_t measured;
		bool settled;
		double cpu_limit;
		uint64_t step_limit;
	} cases[] = {
		{{{.costs.cpu_seconds = 0.5, .counts.steps = 30000, .counts.accesses = 50},
		  {.costs.cpu_seconds = 0.4, .counts.steps = 100}},
		 0,
		 true,
		 5,
		 300500},
		{{{.costs.cpu_seconds = 0.1, .counts.steps = 30000}, {.costs.cpu_seconds = 0.4, .counts.steps = 40000}},
		 0,
		 true,
		 4,
		 400000},
		/* the limit is never less than that of a baseline run */
		{{{.costs.cpu_seconds = 0.1, .counts.steps = 30000}, {.costs.cpu_seconds = 0.1, .counts.steps = 1}},
		 0,
		 true,
		 2.5,
		 300000},
		/* runs that hung or did not end are ignored */
		{{{.costs.cpu_seconds = 0.5, .counts.steps = 30000},
		  {.end = RFS_END_HANG, .costs.cpu_seconds = 100, .counts.steps = 1u << 30}},
		 0,
		 true,
		 5,
		 300000},
		{{{.end = RFS_END_TIMEOUT, .costs.cpu_seconds = 100, .counts.steps = 1u << 30},
		  {.end = RFS_END_UNCONTROLLED}},
		 0,
		 false,
		 0,
		 0},
		/* the steps of a measured run do not include accesses, at which threads park in later runs */
		{{{.end = RFS_END_TIMEOUT}, {.end = RFS_END_TIMEOUT}}, 20000, true, 500, 500000000},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_limits limits;

		rfs_limits_init(&limits, 10);
		rfs_limits_by_measured_run(&limits, &baseline, cases[i].measured);
		for (int k = 0; k < 2; k++)
			rfs_limits_note(&limits, &cases[i].runs[k]);
		rfs_limits_by_controlled_runs(&limits, &baseline);
		cr_expect_eq(limits.settled, cases[i].settled, "case %zu", i);
		expect(&limits, cases[i].cpu_limit, cases[i].step_limit, 0, i);
	}
}

Test(limits, later_runs_change_nothing)
{
	static const struct rfs_baseline baseline = {.runs = 10, .cpu_seconds = 0.001};
	const struct rfs_run_result first = {.costs.cpu_seconds = 0.5, .counts.steps = 30000},
				    later = {.costs.cpu_seconds = 9, .counts.steps = 90000};
	struct rfs_limits limits;

	rfs_limits_init(&limits, 10);
	rfs_limits_note(&limits, &first);
	rfs_limits_by_controlled_runs(&limits, &baseline);
	rfs_limits_note(&limits, &later);
	cr_expect_eq(limits.steps, 30000);
	cr_expect_eq(limits.cpu_seconds, 0.5);
}
