/*
 * against.c - compares the speed of this rfsup with another one, to see what a change costs. BENCH_AGAINST names the
 * other program, such as build/yardstick/base/COMMIT. Both run the same programs in turns. A ratio above 1 means that
 * this rfsup is slower.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/bench/bench.h"
#include "tests/bench/process.h"

#define ROUNDS_MAX 99

struct subject {
	const char *name;
	/* figure1: wall time of many executions, from the fork server; otherwise CPU time of phase 1 */
	bool executions;
	const char *arguments[2];
};

static double cost(const struct bench *bench, const struct subject *subject, const char *rfsup)
{
	char *output = bench_file(bench, "against", ""), *folder = bench_file(bench, "unused", "");
	char *program =
		subject->executions ? bench_program(bench, subject->name) : bench_peer(bench, "plain", subject->name);
	const char *argv[] = {rfsup,
			      "--quiet",
			      "--policy=random",
			      subject->executions ? "--runs=1000" : "--runs=1",
			      subject->executions ? "--detector=none" : "--detector=hybrid",
			      "--timeout=600",
			      "-o",
			      folder,
			      "--",
			      program,
			      subject->arguments[0],
			      subject->arguments[1],
			      NULL};
	struct bench_cost result;

	remove(folder);
	result = bench_run(argv, output, true);
	if (result.status > 1)
		bench_die("%s %s ended with status %d", rfsup, subject->name, result.status);
	bench_remove(folder);
	free(program);
	free(output);
	free(folder);
	return subject->executions ? result.wall : result.cpu;
}

static void row(const struct bench *bench, const struct subject *subject, const char *other, unsigned rounds)
{
	double own[ROUNDS_MAX], others[ROUNDS_MAX], ratio[ROUNDS_MAX];

	for (unsigned i = 0; i < rounds; i++) {
		/* the first of a round finds other cache contents than the second, so they alternate */
		if (i % 2)
			own[i] = cost(bench, subject, bench->rfsup);
		others[i] = cost(bench, subject, other);
		if (i % 2 == 0)
			own[i] = cost(bench, subject, bench->rfsup);
		ratio[i] = own[i] / others[i];
	}
	printf("%-10s %-24s %9.3f %9.3f %8.3f\n", subject->name,
	       subject->executions ? "1,000 executions, wall" : "phase 1, CPU", bench_median(own, rounds),
	       bench_median(others, rounds), bench_median(ratio, rounds));
	fflush(stdout);
}

void bench_against(const struct bench *bench)
{
	static const struct subject subjects[] = {
		{"figure1", true, {NULL}},	   {"moldyn", false, {"4000", "4"}}, {"sor", false, {"1000", "4"}},
		{"locks", false, {"100000", "4"}}, {"queue", false, {"20000", "4"}},
	};
	const char *other = getenv("BENCH_AGAINST");
	int rounds = atoi(bench_setting("BENCH_ROUNDS", "5"));

	if (!other || rounds < 1 || rounds > ROUNDS_MAX) {
		printf("\nagainst another rfsup: not measured (BENCH_AGAINST names none)\n");
		return;
	}
	printf("\nthis rfsup against %s, in turns, medians of %d rounds\n\n%-10s %-24s %9s %9s %8s\n", other, rounds,
	       "program", "what", "this s", "other s", "ratio");
	for (size_t i = 0; i < sizeof(subjects) / sizeof(*subjects); i++)
		if (bench_has_row(subjects[i].name))
			row(bench, &subjects[i], other, (unsigned)rounds);
}
