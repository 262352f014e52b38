/* ending_test.c - a run and the report of a failure give the same ending. */
#include "supervisor/generate/search/ending.h"

#include <criterion/criterion.h>
#include <signal.h>

#include "supervisor/record/misuse.h"
#include "supervisor/record/run_result.h"

TestSuite(ending, .timeout = 60);

Test(ending, runs_and_failures_agree)
{
	static const struct {
		enum rfs_run_end end;
		int detail;
		enum rfs_failure_kind kind;
		enum rfs_ending ending;
	} rows[] = {
		{RFS_END_SIGNAL, SIGSEGV, RFS_FAILURE_SIGNAL, RFS_ENDING_MEMORY},
		{RFS_END_SIGNAL, SIGBUS, RFS_FAILURE_SIGNAL, RFS_ENDING_MEMORY},
		{RFS_END_SIGNAL, SIGABRT, RFS_FAILURE_SIGNAL, RFS_ENDING_ABORT},
		{RFS_END_SIGNAL, SIGFPE, RFS_FAILURE_SIGNAL, RFS_ENDING_SIGNAL},
		{RFS_END_EXIT, 3, RFS_FAILURE_EXIT, RFS_ENDING_EXIT},
		{RFS_END_DEADLOCK, 0, RFS_FAILURE_DEADLOCK, RFS_ENDING_DEADLOCK},
		{RFS_END_HANG, 0, RFS_FAILURE_HANG, RFS_ENDING_HANG},
		{RFS_END_HANG, 1, RFS_FAILURE_HANG, RFS_ENDING_HANG},
	};
	struct rfs_run_result result = {.end = RFS_END_EXIT};

	cr_expect_eq(rfs_ending_of_run(&result), RFS_ENDING_FINE);
	result.end = RFS_END_TIMEOUT;
	cr_expect_eq(rfs_ending_of_run(&result), RFS_ENDING_UNKNOWN);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		result.end = rows[i].end;
		result.detail = rows[i].detail;
		cr_expect_eq(rfs_ending_of_run(&result), rows[i].ending, "row %zu", i);
		cr_expect_eq(rfs_ending_of_failure(rows[i].kind, rows[i].detail), rows[i].ending, "row %zu", i);
	}
}

Test(ending, a_program_fails_as_its_test)
{
	cr_expect(rfs_ending_same(RFS_ENDING_MEMORY, RFS_ENDING_ABORT));
	cr_expect(rfs_ending_same(RFS_ENDING_RESULT, RFS_ENDING_ABORT));
	cr_expect_not(rfs_ending_same(RFS_ENDING_RESULT, RFS_ENDING_EXIT));
	cr_expect_not(rfs_ending_same(RFS_ENDING_RESULT, RFS_ENDING_RESULT), "a program cannot end so");
	cr_expect_not(rfs_ending_same(RFS_ENDING_DEADLOCK, RFS_ENDING_HANG));
}

/* Other mistakes do not depend on what the calls of a test do, or say nothing about a lock. */
Test(ending, a_test_that_misuses_locks_is_undefined)
{
	static const struct {
		enum rfs_misuse_kind kind;
		size_t n;
	} rows[] = {
		{RFS_MISUSE_UNLOCK_FREE, 1},   {RFS_MISUSE_UNLOCK_OTHER, 1}, {RFS_MISUSE_WAIT_UNLOCKED, 1},
		{RFS_MISUSE_WAIT_MUTEXES, 1},  {RFS_MISUSE_EXIT_HOLDING, 0}, {RFS_MISUSE_INIT_AGAIN, 0},
		{RFS_MISUSE_IGNORES_ERROR, 0}, {RFS_MISUSE_NEVER_JOINED, 0},
	};
	struct rfs_misuse misuses[sizeof(rows) / sizeof(*rows)] = {{0}};
	struct rfs_run_result result = {.end = RFS_END_EXIT, .misuses = misuses};

	cr_expect_eq(rfs_ending_undefined(&result), 0);
	result.n_misuses = 1;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		misuses[0].kind = rows[i].kind;
		cr_expect_eq(rfs_ending_undefined(&result), rows[i].n, "row %zu", i);
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		misuses[i].kind = rows[i].kind;
	result.n_misuses = sizeof(rows) / sizeof(*rows);
	cr_expect_eq(rfs_ending_undefined(&result), 4);
}
