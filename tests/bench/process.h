/* process.h - runs a program and measures what it costs. All functions end the program on failure. */
#ifndef RFS_TESTS_BENCH_PROCESS_H
#define RFS_TESTS_BENCH_PROCESS_H

#include <stdbool.h>

struct bench_cost {
	int status;	  /* exit status, or 128 + signal */
	double wall, cpu; /* seconds; cpu: of the process and of all descendants that were waited for */
};

/*
 * Runs a program. Its standard output goes to the file `out`, and standard error too if `silent`. argv ends with NULL.
 */
struct bench_cost bench_run(const char *const *argv, const char *out, bool silent);
/*
 * Runs a program and returns the highest memory use of all its processes together, in MiB. Shared pages count once.
 * Memory is read every few milliseconds, which takes time, so do not measure the time of such a run.
 */
double bench_peak(const char *const *argv, const char *out, bool silent);

#endif
