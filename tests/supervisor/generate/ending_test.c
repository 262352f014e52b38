/* ending_test.c - a run and the report of a failure give the same ending. */
#include "supervisor/generate/search/ending.h"

#include <criterion/criterion.h>
#include <signal.h>

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
