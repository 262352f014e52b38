/*
 * replay.c - the cost of being able to repeat runs: the record before each run, recorded input, and virtual time. Each
 * figure is a ratio to the same runs without these.
 *
 * Both sides use the supervisor's own loop in this process, under the policy `random` and without a detector. Both also
 * compute the hash chain over the operations, with which a replay is compared. A run needs it to identify itself.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "policy/policy.h"
#include "policy/registry.h"
#include "supervisor/record/lessons.h"
#include "supervisor/record/record.h"
#include "supervisor/record/run_result.h"
#include "supervisor/run/run.h"
#include "tests/bench/bench.h"

#define ROUNDS 21
/* A round has as many executions as take about this time. Each execution has one record. */
#define ROUND_SECONDS 0.1
#define RUNS_MAX 100
#define GOAL 1.1

struct cost {
	double cpu, wall; /* seconds of one execution */
	double operations;
};

struct side {
	double cpu[ROUNDS], wall[ROUNDS];
};

static double cpu_seconds(void)
{
	double sum = 0;

	for (int who = 0; who < 2; who++) {
		struct rusage used;

		getrusage(who ? RUSAGE_CHILDREN : RUSAGE_SELF, &used);
		sum += (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
		       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
	}
	return sum;
}

static double execute(const struct bench *bench, char *const *argv, uint64_t seed, bool recorded)
{
	static char *const environment[] = {NULL};
	struct rfs_lessons none = {0};
	struct rfs_run_result result;
	struct rfs_execution execution = {
		.name = "bench",
		.lessons = &none,
		.spec = {.process.path = argv[0],
			 .process.argv = argv,
			 .process.envp = environment,
			 .core = bench->core,
			 .seed = seed,
			 .policy = rfs_policy_find("random"),
			 .limits.timeout = 600,
			 .sleep_race = 1,
			 .clock_real = !recorded,
			 .cancel_fd = -1},
	};
	char record[4096], input[4096], why[1024];
	double operations;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		bench_die("/dev/null cannot be opened");
	execution.spec.process.fd_in = execution.spec.process.fd_out = execution.spec.process.fd_err = null;
	snprintf(record, sizeof(record), "%s/bench.json", bench->folder);
	snprintf(input, sizeof(input), "%s/bench.input", bench->folder);
	if (recorded) {
		execution.spec.input.out = input;
		if (rfs_record_write(record, &execution, NULL, NULL, why, sizeof(why)))
			bench_die("%s", why);
	}
	if (rfs_run(&execution.spec, &result, why, sizeof(why)))
		bench_die("%s", why);
	close(null);
	/* a campaign also removes the files of a run that passes; replacing a file could be slower */
	if (recorded) {
		unlink(record);
		unlink(input);
	}
	if (result.end != RFS_END_EXIT && result.end != RFS_END_SIGNAL) /* figure1 fails in some runs */
		bench_die("%s: %s", argv[0], rfs_run_end_name(result.end));
	operations = (double)result.counts.steps;
	rfs_run_result_release(&result);
	return operations;
}

/* Seeds begin with 1 on both sides, so both make the same runs. */
static struct cost measure(const struct bench *bench, char *const *argv, int runs, bool recorded)
{
	double wall = bench_seconds(), cpu = cpu_seconds(), operations = 0;

	for (int i = 0; i < runs; i++)
		operations += execute(bench, argv, (uint64_t)i + 1, recorded);
	return (struct cost){.cpu = (cpu_seconds() - cpu) / runs,
			     .wall = (bench_seconds() - wall) / runs,
			     .operations = operations / runs};
}

struct row {
	char name[32], words[2][16]; /* arguments of the program; "" means none */
};

static void print_row(const struct bench *bench, struct row *row)
{
	char *program = bench_target(bench, row->name);
	char *argv[] = {program, row->words[0][0] ? row->words[0] : NULL, row->words[1][0] ? row->words[1] : NULL,
			NULL};
	struct side bare, full;
	struct cost first = measure(bench, argv, 1, true), cost;
	int runs = (int)(ROUND_SECONDS / first.cpu) + 1;
	double cpu[2], wall[2];

	runs = runs < RUNS_MAX ? runs : RUNS_MAX;
	for (int i = 0; i < ROUNDS; i++) {
		/* the two sides alternate in being first */
		for (int k = 0; k < 2; k++) {
			bool recorded = (i + k) % 2;
			struct side *side = recorded ? &full : &bare;

			cost = measure(bench, argv, runs, recorded);
			side->cpu[i] = cost.cpu;
			side->wall[i] = cost.wall;
		}
	}
	cpu[0] = bench_median(bare.cpu, ROUNDS);
	cpu[1] = bench_median(full.cpu, ROUNDS);
	wall[0] = bench_median(bare.wall, ROUNDS);
	wall[1] = bench_median(full.wall, ROUNDS);
	printf("%-20s %10.0f %12.3f %12.3f %8.3f %8.3f  %s\n", row->name, cost.operations, cpu[0] * 1e3, cpu[1] * 1e3,
	       cpu[1] / cpu[0], wall[1] / wall[0], cpu[1] / cpu[0] <= GOAL ? "met" : "not met");
	fflush(stdout);
	free(program);
}

void bench_replay(const struct bench *bench)
{
	struct row rows[] = {
		{"lock_pairs", {"2", "1000"}}, {"figure1", {""}},	    {"philosophers_fixed", {""}},
		{"pipes_threads", {""}},       {"compute", {"400000", ""}},
	};

	bench_pin(bench->core);
	printf("\nrecording and virtual time: ms of one execution (user and system, of supervisor and target), medians "
	       "of "
	       "%d rounds\n%-20s %10s %12s %12s %8s %8s  <= %.1f\n",
	       ROUNDS, "target", "operations", "CPU without", "CPU with", "CPU x", "wall x", GOAL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		print_row(bench, &rows[i]);
}
