/*
 * goals.c - the goals for speed. Each figure is a ratio or a rate, measured on one core within one run of this program.
 * It is the median of several rounds, in which the compared programs alternate.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/bench.h"
#include "tests/bench/stops.h"

#define STOP_BATCHES 101
#define STOPS_A_BATCH 500
#define PAIR_ROUNDS 7
#define PAIR_THREADS 2
#define PAIRS 10000
#define PAIRS_ALONE 1000000
#define COMPUTE_ROUNDS 5
#define COMPUTE_WORK "4000000" /* about half a second of work */
#define FIGURE_ROUNDS 5
#define FIGURE_RUNS "--runs=200"

static void row(const char *what, double figure, const char *unit, const char *goal, bool met)
{
	printf("%-64s %8.2f %-12s %-10s %s\n", what, figure, unit, goal, met ? "met" : "not met");
	fflush(stdout);
}

static void note(const char *what, double figure, const char *unit)
{
	printf("%-64s %8.2f %s\n", what, figure, unit);
	fflush(stdout);
}

static void stop_goal(struct bench_stops *stops)
{
	double bare[STOP_BATCHES], ours[STOP_BATCHES], bare_median, ours_median;

	for (int i = 0; i < STOP_BATCHES; i++) {
		bare[i] = bench_stops_bare(stops, STOPS_A_BATCH);
		ours[i] = bench_stops_breakpoint(stops, STOPS_A_BATCH);
	}
	bare_median = bench_median(bare, STOP_BATCHES);
	ours_median = bench_median(ours, STOP_BATCHES);
	note("  bare round trip: int3, wait, PTRACE_CONT", bare_median, "us");
	note("  breakpoint hit, run out of line", ours_median, "us");
	row("1 a breakpoint stop, in bare round trips", ours_median / bare_median, "x", "<= 1.3",
	    ours_median <= 1.3 * bare_median);
}

/* Seconds of one execution of lock_pairs under the policy `random` without a detector. */
static double lock_pairs(const struct bench *bench, int n_threads, int pairs)
{
	char *program = bench_target(bench, "lock_pairs"), number[16], threads[16];
	const char *words[] = {"--policy=random", "--detector=none", "--runs=1", "--", program, threads, number, NULL};
	json_t *report;
	double seconds;

	snprintf(number, sizeof(number), "%d", pairs);
	snprintf(threads, sizeof(threads), "%d", n_threads);
	report = bench_rfsup(bench, words);
	seconds = bench_stat(report, "explore_seconds");
	json_decref(report);
	free(program);
	return seconds;
}

static void pair_goal(const struct bench *bench, struct bench_stops *stops)
{
	double ratio[PAIR_ROUNDS], cost[PAIR_ROUNDS], alone[PAIR_ROUNDS], median;

	for (int i = 0; i < PAIR_ROUNDS; i++) {
		double bare[STOP_BATCHES / 5];

		for (int k = 0; k < STOP_BATCHES / 5; k++)
			bare[k] = bench_stops_bare(stops, STOPS_A_BATCH);
		cost[i] = (lock_pairs(bench, PAIR_THREADS, PAIRS) - lock_pairs(bench, PAIR_THREADS, 0)) /
			  (PAIR_THREADS * PAIRS) * 1e6;
		alone[i] = (lock_pairs(bench, 1, PAIRS_ALONE) - lock_pairs(bench, 1, 0)) / PAIRS_ALONE * 1e6;
		ratio[i] = cost[i] / bench_median(bare, STOP_BATCHES / 5);
	}
	median = bench_median(ratio, PAIR_ROUNDS);
	row("2 a lock/unlock pair under control, in bare round trips", median, "x", "<= 2.5", median <= 2.5);
	median = bench_median(cost, PAIR_ROUNDS);
	row("5 a lock/unlock pair of two threads under random", median, "us", "<= 10", median <= 10);
	median = bench_median(alone, PAIR_ROUNDS);
	row("7 a lock/unlock pair while nobody else can be chosen", median, "us", "<= 0.5", median <= 0.5);
}

/*
 * Seconds of one phase-2 execution of compute. Both statements of the pair are the same line, which each thread
 * executes once, at its end.
 */
static double compute_confirm(const struct bench *bench, const char *program)
{
	const char *words[] = {"--pairs", NULL, "--runs=3", "--", program, COMPUTE_WORK, NULL};
	unsigned line = bench_line("compute", "add");
	char text[128], *pairs;
	json_t *report;
	double seconds;

	snprintf(text, sizeof(text), "compute.c:%u compute.c:%u\n", line, line);
	pairs = bench_file(bench, "compute.txt", text);
	words[1] = pairs;
	report = bench_rfsup(bench, words);
	seconds = bench_stat(report, "confirm_seconds") / bench_confirm_runs(report);
	json_decref(report);
	free(pairs);
	return seconds;
}

static void compute_goal(const struct bench *bench)
{
	char *program = bench_target(bench, "compute");
	const char *const argv[] = {program, COMPUTE_WORK, NULL};
	double ratio[COMPUTE_ROUNDS], native[COMPUTE_ROUNDS], all[COMPUTE_ROUNDS], median;

	for (int i = 0; i < COMPUTE_ROUNDS; i++) {
		native[i] = bench_native(argv);
		ratio[i] = compute_confirm(bench, program) / native[i];
		bench_pin(-1);
		all[i] = bench_native(argv) / native[i];
		bench_pin(bench->core);
	}
	median = bench_median(ratio, COMPUTE_ROUNDS);
	note("  compute (two threads), native on the same one core", bench_median(native, COMPUTE_ROUNDS), "s");
	note("  compute, native on all cores, to native on one", bench_median(all, COMPUTE_ROUNDS), "x");
	row("3 compute in phase 2, to native on the same one core", median, "x", "<= 1.2", median <= 1.2);
	free(program);
}

static double figure_rate(const json_t *report)
{
	return bench_confirm_runs(report) / bench_stat(report, "confirm_seconds");
}

/* Runs phase 2 of figure1 with the pairs of this file, and one more option. */
static json_t *run_figure(const struct bench *bench, const char *program, const char *pairs, const char *option)
{
	const char *words[] = {"--pairs", pairs, FIGURE_RUNS, option, "--", program, NULL};

	return bench_rfsup(bench, words);
}

static double figure_speed(const struct bench *bench, const char *program, const char *pairs, const char *option)
{
	json_t *report = run_figure(bench, program, pairs, option);
	double rate = figure_rate(report);

	json_decref(report);
	return rate;
}

static void figure_goal(const struct bench *bench)
{
	char *program = bench_target(bench, "figure1"), *at_once = bench_program(bench, "figure1"), text[256], *pairs;
	double rate[FIGURE_ROUNDS], native[FIGURE_ROUNDS], started[FIGURE_ROUNDS], scaled[FIGURE_ROUNDS];
	double own[FIGURE_ROUNDS], median;

	snprintf(text, sizeof(text), "figure1.c:%u figure1.c:%u\nfigure1.c:%u figure1.c:%u\n",
		 bench_line("figure1", "x-write"), bench_line("figure1", "x-read"), bench_line("figure1", "z-write"),
		 bench_line("figure1", "z-read"));
	pairs = bench_file(bench, "figure1.txt", text);
	for (int i = 0; i < FIGURE_ROUNDS; i++) {
		json_t *report = run_figure(bench, program, pairs, "-j1");

		rate[i] = figure_rate(report);
		native[i] = (double)json_integer_value(json_object_get(json_object_get(report, "plain"), "runs")) /
			    bench_stat(report, "plain_seconds");
		json_decref(report);
		own[i] = figure_speed(bench, at_once, pairs, "-j1");
		started[i] = figure_speed(bench, program, pairs, "--no-fork-server");
		bench_pin(-1);
		scaled[i] = figure_speed(bench, program, pairs, "-j2") / rate[i];
		bench_pin(bench->core);
	}
	median = bench_median(rate, FIGURE_ROUNDS);
	note("  figure1, plain executions as rfsup makes them", bench_median(native, FIGURE_ROUNDS), "/s");
	note("  figure1 in phase 2, started anew for each execution", bench_median(started, FIGURE_ROUNDS), "/s");
	row("4 whole executions of figure1 in phase 2 on one core", median, "/s", ">= 1000", median >= 1000);
	note("  the same without its second thread's delay of 0.3 ms", bench_median(own, FIGURE_ROUNDS), "/s");
	median = bench_median(scaled, FIGURE_ROUNDS);
	row("6 figure1 with -j2 on all cores, to one", median, "x", ">= 1.8", median >= 1.8);
	free(pairs);
	free(at_once);
	free(program);
}

void bench_goals(const struct bench *bench)
{
	struct bench_stops *stops;

	bench_pin(bench->core);
	stops = bench_stops_new(bench->self, bench->core);
	printf("\n%-64s %8s %-12s %-10s %s\n", "goals", "figure", "", "goal", "");
	stop_goal(stops);
	pair_goal(bench, stops);
	bench_stops_free(stops);
	compute_goal(bench);
	figure_goal(bench);
	bench_pin(-1);
}
