/* ending.h - how an execution of a generated test, or of the C program made from it, ended. */
#ifndef RFS_ENDING_H
#define RFS_ENDING_H

#include <stdbool.h>
#include <stddef.h>

#include "supervisor/report/data/failure.h"

struct rfs_run_result;

enum rfs_ending {
	RFS_ENDING_FINE,
	RFS_ENDING_MEMORY, /* SIGSEGV, SIGBUS */
	RFS_ENDING_ABORT,
	RFS_ENDING_SIGNAL, /* another signal */
	RFS_ENDING_EXIT,   /* a call has ended the process */
	RFS_ENDING_DEADLOCK,
	RFS_ENDING_HANG,
	RFS_ENDING_RESULT,  /* no sequential order of the calls gives their results */
	RFS_ENDING_UNKNOWN, /* inconclusive: it took too long, or was not controlled */
	RFS_N_ENDINGS
};

/* number: of the signal, or the exit status. */
enum rfs_ending rfs_ending_of_failure(enum rfs_failure_kind kind, int number);
enum rfs_ending rfs_ending_of_run(const struct rfs_run_result *result);

/*
 * How many mistakes with locks a run has seen whose consequences are undefined. The objects of a library may be locks,
 * and then random calls unlock what is not locked. The lock may work until the schedule is another one.
 */
size_t rfs_ending_undefined(const struct rfs_run_result *result);

/*
 * Whether the C program of a finding fails as its test did. Corrupted memory may show as a signal of the kernel or as
 * an abort of the allocator, so both count as the same.
 */
bool rfs_ending_same(enum rfs_ending test, enum rfs_ending program);

/* "memory error", "abort", ...: a static string. */
const char *rfs_ending_name(enum rfs_ending ending);

#endif
