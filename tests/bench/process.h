/* process.h - a program run for what it costs. All functions end the program on failure. */
#ifndef RFS_TESTS_BENCH_PROCESS_H
#define RFS_TESTS_BENCH_PROCESS_H

#include <stdbool.h>

struct bench_cost {
	int status;	  /* exit status, 128 + signal if it was killed */
	double wall, cpu; /* seconds; cpu: of the process and all below it that were waited for */
};

/* Standard output goes to the file out, standard error too if silent. argv ends with NULL. */
struct bench_cost bench_run(const char *const *argv, const char *out, bool silent);
/* The same for memory: MiB that the process and all below it had at a time, at most, shared pages counted once.
 * Looked up every few milliseconds, which takes time: no run to take a time of. */
double bench_peak(const char *const *argv, const char *out, bool silent);

#endif
