/*
 * table.c - like table 1 of the race-directed paper (PLDI 2008), for our programs: a campaign with default options for
 * each program of targets/targets.txt.
 *
 * Times are wall times of one run, as rfsup runs by default: the baseline, phase 1 with the hybrid detector,
 * and phase 2 under RaceFuzzer. Phase 2 includes the replays for the verdicts.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/bench.h"

#define EXPLORE 200
#define EXPLORE_WORD "--explore=200"

/* One line of targets.txt. */
struct target {
	char name[64], kind[32], pairs[512], words[128];
};

/* The contents of targets/plain_runs.txt. */
struct plain {
	int failures; /* -1: no line for this target */
	int runs;
};

static struct plain plain_runs(const char *name)
{
	struct plain plain = {.failures = -1};
	FILE *file = fopen("targets/plain_runs.txt", "re");
	char line[256], word[64];
	int o0g, o0, o2g;

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "# Failures in %d", &plain.runs) == 1)
			continue;
		if (sscanf(line, "%63s %d %d %d", word, &o0g, &o0, &o2g) == 4 && !strcmp(word, name))
			plain.failures = o2g;
	}
	if (file)
		fclose(file);
	return plain;
}

/* Counts the pairs that targets.txt promises. Pairs that may be found (~ or ?) or are never found (-) do not count. */
static unsigned count_known(char *pairs)
{
	unsigned n = 0;
	char *rest;

	for (char *pair = strtok_r(pairs, ",", &rest); pair; pair = strtok_r(NULL, ",", &rest))
		n += *pair != '-' && *pair != '~' && *pair != '?' && *pair != '*';
	return n;
}

static double number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : 0;
}

static bool is_real(const json_t *pair)
{
	const char *verdict = json_string_value(json_object_get(pair, "verdict"));

	return verdict && (!strcmp(verdict, "real") || !strcmp(verdict, "harmful"));
}

/* Failures that are attributed to the pair's race. All others are separate findings, and counted as such. */
static double pair_failures(const json_t *pair)
{
	const json_t *failure = json_object_get(pair, "failure");
	const char *kind = json_string_value(json_object_get(failure, "kind"));

	if (!json_is_true(json_object_get(failure, "attributed")) || (kind && !strcmp(kind, "deadlock")))
		return 0;
	return number(pair, "failures");
}

struct sums {
	double failed;
	unsigned predicted, real;
	char probabilities[512];
};

static struct sums add_up(const json_t *report)
{
	struct sums sums = {0};
	size_t i, used = 0;
	json_t *item;

	json_array_foreach(json_object_get(report, "pairs"), i, item)
	{
		sums.predicted++;
		sums.failed += pair_failures(item);
		if (!is_real(item))
			continue;
		sums.real++;
		if (used < sizeof(sums.probabilities))
			used += (size_t)snprintf(sums.probabilities + used, sizeof(sums.probabilities) - used, "%s%.2f",
						 used ? " " : "", number(item, "confirmed") / number(item, "runs"));
	}
	json_array_foreach(json_object_get(report, "failures"), i, item) sums.failed += number(item, "runs");
	json_array_foreach(json_object_get(report, "deadlocks"), i, item) sums.failed += number(item, "runs");
	return sums;
}

/* Prints milliseconds, and the ratio to a baseline run. Prints "-" if there was no such run. */
static void print_time(double seconds, double plain)
{
	if (seconds > 0)
		printf(" %8.2f %6.1f", seconds * 1e3, seconds / plain);
	else
		printf(" %8s %6s", "-", "-");
}

static void print_row(struct target *target, const json_t *report)
{
	const json_t *predict = json_object_get(report, "predict"), *ten = json_object_get(report, "plain");
	struct plain plain = plain_runs(target->name);
	struct sums sums = add_up(report);
	double confirm_runs = bench_confirm_runs(report);
	double native = bench_stat(report, "plain_seconds") / number(ten, "runs");
	char rfsup[32], alone[32] = "-";

	snprintf(rfsup, sizeof(rfsup), "%.0f/%.0f", sums.failed, number(predict, "runs") + confirm_runs + EXPLORE);
	if (plain.failures >= 0)
		snprintf(alone, sizeof(alone), "%d/%d", plain.failures, plain.runs);
	printf("%-24s %8.2f", target->name, native * 1e3);
	print_time(number(predict, "seconds") / number(predict, "runs"), native);
	print_time(confirm_runs > 0 ? bench_stat(report, "confirm_seconds") / confirm_runs : 0, native);
	printf(" %6u %6u %6u %10s %8s  %s\n", sums.predicted, sums.real, count_known(target->pairs), rfsup, alone,
	       sums.probabilities);
	fflush(stdout);
}

static void print_target(const struct bench *bench, struct target *target)
{
	const char *words[16] = {EXPLORE_WORD, "--"};
	char *program = bench_target(bench, target->name), *rest;
	size_t n = 2;
	json_t *report;

	words[n++] = program;
	if (strcmp(target->words, "-") != 0)
		for (char *word = strtok_r(target->words, ",", &rest); word && n < 15;
		     word = strtok_r(NULL, ",", &rest))
			words[n++] = word;
	report = bench_rfsup(bench, words);
	print_row(target, report);
	json_decref(report);
	free(program);
}

void bench_table(const struct bench *bench)
{
	FILE *file = fopen("targets/targets.txt", "re");
	char line[1024];

	if (!file)
		bench_die("targets/targets.txt is not there");
	printf("\ntable 1 of the race-directed paper, for the programs in targets/ (-O2 -g)\n"
	       "times: milliseconds a run, and as a multiple of the plain run; known: pairs that targets.txt says are "
	       "real\nfailures: of all runs of the campaign, and of plain runs (plain_runs.txt); probability: runs of "
	       "phase 2 that created the race, for each real pair\n\n");
	printf("%-24s %8s %15s %15s %20s %19s\n", "", "plain", "hybrid", "RaceFuzzer", "pairs", "failures");
	printf("%-24s %8s %8s %6s %8s %6s %6s %6s %6s %10s %8s  %s\n", "target", "ms", "ms", "x", "ms", "x", "pred.",
	       "real", "known", "rfsup", "plain", "probability");
	while (fgets(line, sizeof(line), file)) {
		struct target target;
		int status;

		if (line[0] != '#' && sscanf(line, "%63s %31s %d %511s %127s", target.name, target.kind, &status,
					     target.pairs, target.words) == 5)
			print_target(bench, &target);
	}
	fclose(file);
}
