/* verdict_test.c - the rules of verdicts. */
#include "supervisor/campaign/decisions/verdict.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>

#include "policy/policy.h"
#include "supervisor/record/run_result.h"
#include "supervisor/symbols/symbolize.h"

TestSuite(verdict, .timeout = 20);

static struct rfs_run_result ended(enum rfs_run_end end, int detail)
{
	return (struct rfs_run_result){.end = end, .detail = detail, .costs.cpu_seconds = 0.5};
}

Test(verdict, failures)
{
	static const struct {
		enum rfs_run_end end;
		int detail;
		bool failed, conclusive;
		const char *text;
	} cases[] = {
		{RFS_END_EXIT, 0, false, true, "status 0"},	  {RFS_END_EXIT, 3, true, true, "status 3"},
		{RFS_END_SIGNAL, SIGSEGV, true, true, "SIGSEGV"}, {RFS_END_SIGNAL, 40, true, true, "signal 40"},
		{RFS_END_DEADLOCK, 0, true, true, NULL},	  {RFS_END_HANG, 1, true, true, NULL},
		{RFS_END_TIMEOUT, 0, false, false, NULL},	  {RFS_END_UNCONTROLLED, 0, false, false, NULL},
		{RFS_END_DIVERGED, 0, false, false, NULL},	  {RFS_END_CANCELLED, 0, false, false, NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_run_result result = ended(cases[i].end, cases[i].detail);
		struct rfs_signature signature;
		char *text;

		cr_expect_eq(rfs_run_failed(&result, &signature), cases[i].failed, "case %zu", i);
		cr_expect_eq(rfs_run_conclusive(&result), cases[i].conclusive, "case %zu", i);
		if (!cases[i].conclusive)
			continue;
		text = rfs_signature_detail(&signature);
		cr_expect_eq(!text, !cases[i].text);
		if (text && cases[i].text)
			cr_expect_str_eq(text, cases[i].text);
		free(text);
	}
}

/* A program that was refused a resource may end with an error or call abort(), and nothing else. */
Test(verdict, giving_up)
{
	static const struct {
		enum rfs_fault fault;
		enum rfs_run_end end;
		int detail;
		bool gave_up, failed;
	} cases[] = {
		{RFS_FAULT_MALLOC, RFS_END_EXIT, 1, false, false},
		{RFS_FAULT_MMAP, RFS_END_EXIT, 1, false, false},
		{RFS_FAULT_THREAD, RFS_END_EXIT, 1, false, false},
		{RFS_FAULT_WAKEUP, RFS_END_EXIT, 1, false, true},
		{RFS_FAULT_EINTR, RFS_END_EXIT, 1, false, true},
		{RFS_FAULT_SHORT, RFS_END_EXIT, 1, false, true},
		{RFS_FAULT_LATE, RFS_END_EXIT, 1, false, true},
		{RFS_FAULT_MALLOC, RFS_END_SIGNAL, SIGABRT, true, false},
		{RFS_FAULT_MALLOC, RFS_END_SIGNAL, SIGABRT, false, true},
		{RFS_FAULT_MALLOC, RFS_END_SIGNAL, SIGSEGV, true, true},
		{RFS_FAULT_MALLOC, RFS_END_DEADLOCK, 0, false, true},
		{RFS_FAULT_MALLOC, RFS_END_HANG, 0, false, true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_run_result result = ended(cases[i].end, cases[i].detail);
		struct rfs_fault_taken taken = {.fault = cases[i].fault};
		struct rfs_signature signature;

		result.faults = &taken;
		result.n_faults = 1;
		result.gave_up = cases[i].gave_up;
		cr_expect_eq(rfs_run_failed(&result, &signature), cases[i].failed, "case %zu", i);
		cr_expect(rfs_run_conclusive(&result), "case %zu", i);
	}
}

Test(verdict, atomic_and_unclear)
{
	enum {
		LOCKED = RFS_ACCESS_WRITE | RFS_ACCESS_READ | RFS_ACCESS_ATOMIC,
		LOAD = RFS_ACCESS_READ | RFS_ACCESS_ALIGNED_MOVE,
		STORE = RFS_ACCESS_WRITE | RFS_ACCESS_ALIGNED_MOVE,
		HALF = RFS_ACCESS_WRITE | RFS_ACCESS_RMW,
		COPY = RFS_ACCESS_READ | RFS_ACCESS_RANGE
	};
	static const struct {
		unsigned a, b;
		bool seen, atomic, unclear;
	} cases[] = {
		{LOCKED, LOCKED, true, true, true}, {LOCKED, LOAD, true, false, true},
		{STORE, LOAD, false, false, true},  {STORE, LOAD, true, false, true},
		{LOCKED, HALF, true, false, false}, {STORE, COPY, true, false, false},
		{HALF, HALF, true, false, false},
	};
	struct rfs_symbols *symbols = rfs_symbols_new();

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		/* object and code stay unknown, as in a stripped program */
		const struct rfs_race race = {
			.side = {{.access = cases[i].a, .size = 4}, {.access = cases[i].b, .size = 4}},
			.atomic_seen = cases[i].seen,
		};

		cr_expect_eq(rfs_pair_is_atomic(symbols, &race), cases[i].atomic, "case %zu", i);
		cr_expect_eq(rfs_pair_is_unclear(symbols, &race), cases[i].unclear, "case %zu", i);
	}
	rfs_symbols_free(symbols);
}
