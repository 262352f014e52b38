/*
 * first.c - how many executions a whole campaign makes until the first failure, on small programs with one bug each.
 * All controlled runs count: prediction, pairs, exploration.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/bench.h"

/* First seeds are this far apart, so that no two campaigns have a run in common. */
#define APART 1000000

struct shape {
	const char *name, *program;
	const char *words[3]; /* ends with NULL */
	const char *goal;
};

static const struct shape shapes[] = {
	{"one check between two writes, 5 threads", "first_failures", {"check", "5"}, "8"},
	{"the same, 100 threads", "first_failures", {"check", "100"}, "10"},
	{"two locks one after the other", "first_failures", {"two_locks", "2"}, "8"},
	{"driver stopped while in use", "first_failures", {"driver"}, "45"},
	{"string buffer", "first_failures", {"string_buffer"}, "8"},
	{"work-stealing queue", "work_stealing", {NULL}, "10"},
	{"broken bounded buffer", "first_failures", {"bounded_buffer"}, "3"},
	/* other shapes, so that nothing is made better for the rows above only */
	{"money moves while it is counted", "more_failures", {"audit"}, "-"},
	{"key looked up, then inserted", "more_failures", {"insert"}, "-"},
	{"flag read without the lock of the signal", "more_failures", {"latch"}, "-"},
	{"object published before it is filled", "more_failures", {"lazy"}, "-"},
	{"token handed over by three threads", "more_failures", {"handover"}, "-"},
	{"slot used after its owner was checked", "more_failures", {"reuse"}, "-"},
};

/* The executions of one campaign; *found: one of them failed. */
static double executions(const struct bench *bench, const struct shape *shape, int experiment, bool *found)
{
	char *program = bench_program(bench, shape->program), seed[24];
	const char *words[12] = {"--until-failure", "--seed", seed, "--", program};
	json_t *report;
	double first, all;
	size_t n = 5;

	for (const char *const *word = shape->words; *word; word++)
		words[n++] = *word;
	snprintf(seed, sizeof(seed), "%d", 1 + experiment * APART);
	report = bench_rfsup(bench, words);
	first = bench_stat(report, "runs_to_first_failure");
	all = bench_stat(report, "runs");
	json_decref(report);
	free(program);
	*found = first > 0;
	return *found ? first : all;
}

void bench_first(const struct bench *bench)
{
	int experiments = atoi(bench_setting("BENCH_EXPERIMENTS", "20"));

	printf("\nfirst: executions of a campaign until the first failure, %d first seeds\n\n", experiments);
	printf("%-42s %6s %6s %6s %10s\n", "program", "mean", "most", "goal", "not found");
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		double sum = 0, most = 0;
		int missed = 0;

		if (!bench_has_row(shapes[i].name))
			continue;
		for (int k = 0; k < experiments; k++) {
			bool found;
			double n = executions(bench, &shapes[i], k, &found);

			sum += n;
			most = n > most ? n : most;
			missed += !found;
		}
		printf("%-42s %6.1f %6.0f %6s %10d\n", shapes[i].name, sum / experiments, most, shapes[i].goal, missed);
		fflush(stdout);
	}
}
