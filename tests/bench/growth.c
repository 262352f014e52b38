/*
 * growth.c - how the cost of phase 1 grows with the number of threads, accesses, locks and shared data. One of these
 * changes at a time. The program is sweep of tests/bench/peers/.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/bench/bench.h"

struct shape {
	unsigned threads, accesses, megabytes, locks; /* accesses: thousands of loops with two accesses each */
};

static void row(const struct bench *bench, const struct shape *shape)
{
	char *program = bench_peer(bench, "plain", "sweep"), accesses[16], threads[16], megabytes[16], locks[16];
	const char *words[] = {"--policy=random",
			       "--detector=hybrid",
			       "--runs=1",
			       "--timeout=3600",
			       "--",
			       program,
			       accesses,
			       threads,
			       megabytes,
			       locks,
			       NULL};
	double n, cpu;
	json_t *report;

	snprintf(accesses, sizeof(accesses), "%u", shape->accesses);
	snprintf(threads, sizeof(threads), "%u", shape->threads);
	snprintf(megabytes, sizeof(megabytes), "%u", shape->megabytes);
	snprintf(locks, sizeof(locks), "%u", shape->locks);
	report = bench_rfsup(bench, words);
	n = bench_stat(report, "accesses");
	cpu = bench_stat(report, "target_cpu_seconds") + bench_stat(report, "supervisor_cpu_seconds");
	printf("%8u %12.0f %8u %8u %9.3f %12.1f %9.1f\n", shape->threads, n, shape->megabytes, shape->locks,
	       bench_stat(report, "seconds") - bench_stat(report, "plain_seconds"), cpu / n * 1e9,
	       bench_rfsup_peak(bench, words));
	fflush(stdout);
	json_decref(report);
	free(program);
}

void bench_growth(const struct bench *bench)
{
	static const struct shape shapes[] = {
		{1, 10000, 10, 10},    {4, 10000, 10, 10},   {16, 10000, 10, 10},    {64, 10000, 10, 10},
		{4, 5, 10, 10},	       {4, 50, 10, 10},	     {4, 500, 10, 10},	     {4, 5000, 10, 10},
		{4, 50000, 10, 10},    {4, 10000, 10, 1000}, {4, 10000, 10, 100000}, {4, 10000, 100, 10},
		{4, 130000, 1000, 10},
	};

	printf("\ngrowth of phase 1 with the threads, the accesses, the locks and the shared data of a program; goal: "
	       "the "
	       "CPU time of an\naccess stays what it is, and the peak memory goes with the shared data\n\n"
	       "%8s %12s %8s %8s %9s %12s %9s\n",
	       "threads", "accesses", "MB", "locks", "wall s", "CPU ns each", "peak MiB");
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
		row(bench, &shapes[i]);
}
