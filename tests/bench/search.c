/*
 * search.c - executions until the first failure on needles: each policy alone, dpor, and a whole campaign, in one
 * table.
 *
 * A policy alone switches threads at the pairs that three predicting runs have shown; these runs do not count. Of a
 * campaign, all controlled runs count. The policy dpor does not depend on the seed, so it has one experiment, and its
 * limit is time. A cell in which none of the first MISSES_MOST experiments failed has no more of them. BENCH_COLUMN
 * selects columns, as BENCH_ROW selects rows.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/bench.h"

/* First seeds are this far apart, so that no two experiments have a run in common. */
#define APART 1000000
#define MISSES_MOST 3

static const struct needle {
	const char *name;
	const char *words[2]; /* of first_needles; its twin has the word "fixed" behind them */
	const char *limit;    /* executions of a policy alone */
	const char *goal;     /* of the campaign */
} needles[] = {
	{"check between two writes, 100 threads", {"check", "100"}, "60", "6"},
	{"two-stage, 1 writer", {"two_stage", "1"}, "200", "3"},
	{"two-stage, 20 writers", {"two_stage", "20"}, "200", "8"},
	{"two-stage, 50 writers", {"two_stage", "50"}, "100", "20"},
	{"two-stage, 100 writers", {"two_stage", "100"}, "60", "50"},
	{"quicksort with a pool", {"quicksort", "0"}, "200", "27"},
	{"driver stopped while in use", {"driver", "0"}, "200", "9"},
	{"stack, ABA", {"stack", "0"}, "400", "100"},
	{"port closed between two calls", {"port", "0"}, "200", "11"},
};

static const char *const columns[] = {"random", "surw", "pos", "pct", "rapos", "rff", "dpor", "campaign"};

struct cell {
	double sum, cpu;
	int experiments, missed;
};

static bool is(const char *column, const char *name)
{
	return strcmp(column, name) == 0;
}

static double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

/* Adds one experiment. */
static void search(const struct bench *bench, const struct needle *needle, const char *column, int i, struct cell *cell)
{
	char *program = bench_program(bench, "first_needles"), seed[24];
	const char *words[24] = {"--until-failure", "--no-two-pass", "--seed", seed};
	size_t n = 4;
	json_t *report;
	double first, all;

	snprintf(seed, sizeof(seed), "%d", 1 + i * APART);
	if (!is(column, "campaign")) {
		words[n++] = "--policy";
		words[n++] = column;
		words[n++] = "--points=races";
	}
	if (is(column, "dpor")) {
		words[n++] = "--budget";
		words[n++] = bench_setting("BENCH_DPOR_SECONDS", "30");
	} else if (!is(column, "campaign")) {
		words[n++] = "--runs";
		words[n++] = needle->limit;
	}
	words[n++] = "--";
	words[n++] = program;
	words[n++] = needle->words[0];
	words[n++] = needle->words[1];
	report = bench_rfsup(bench, words);
	if (is(column, "campaign") || is(column, "dpor")) {
		first = number(json_object_get(report, "stats"), "runs_to_first_failure");
		all = bench_stat(report, "runs");
	} else {
		first = number(json_object_get(report, "sampling"), "first_failure");
		all = number(json_object_get(report, "sampling"), "runs");
	}
	cell->sum += first > 0 ? first : all;
	cell->missed += first <= 0;
	cell->cpu += bench_stat(report, BENCH_COMMAND_CPU);
	cell->experiments++;
	fprintf(stderr, "%s, %s, experiment %d: %s%g\n", needle->name, column, i + 1, first > 0 ? "" : ">",
		first > 0 ? first : all);
	json_decref(report);
	free(program);
}

/* How many findings the twin has in the first seed of a campaign. */
static double findings_of_twin(const struct bench *bench, const struct needle *needle)
{
	char *program = bench_program(bench, "first_needles");
	const char *const words[] = {"--explore=50",   "--runs=20",	 "--",	  program,
				     needle->words[0], needle->words[1], "fixed", NULL};
	json_t *report = bench_rfsup(bench, words);
	double findings = (double)(json_array_size(json_object_get(report, "failures")) +
				   json_array_size(json_object_get(report, "deadlocks")));

	json_decref(report);
	free(program);
	return findings;
}

static void print_row(const struct bench *bench, const struct needle *needle, int experiments)
{
	printf("%-38s", needle->name);
	for (size_t k = 0; k < sizeof(columns) / sizeof(*columns); k++) {
		struct cell cell = {0};
		const int most = is(columns[k], "dpor") ? 1 : experiments;
		char text[32];

		if (getenv("BENCH_COLUMN") && !strstr(getenv("BENCH_COLUMN"), columns[k])) {
			printf(" %8s", "-");
			continue;
		}
		for (int i = 0; i < most && !(cell.missed == cell.experiments && cell.missed >= MISSES_MOST); i++)
			search(bench, needle, columns[k], i, &cell);
		snprintf(text, sizeof(text), "%s%.1f", cell.missed ? ">" : "", cell.sum / cell.experiments);
		printf(" %8s", text);
		fflush(stdout);
	}
	printf(" %6s %5s %5.0f\n", needle->goal, needle->limit, findings_of_twin(bench, needle));
	fflush(stdout);
}

void bench_search(const struct bench *bench)
{
	int experiments = atoi(bench_setting("BENCH_EXPERIMENTS", "20"));

	printf("\nsearch: executions until the first failure, mean of %d first seeds (%d if these found nothing; dpor: "
	       "1);\n>: some found nothing and count with all their executions; twin: failures and deadlocks of the "
	       "fixed program\n\n%-38s",
	       experiments, MISSES_MOST, "needle");
	for (size_t k = 0; k < sizeof(columns) / sizeof(*columns); k++)
		printf(" %8s", columns[k]);
	printf(" %6s %5s %5s\n", "goal", "limit", "twin");
	for (size_t i = 0; i < sizeof(needles) / sizeof(*needles); i++)
		if (bench_has_row(needles[i].name))
			print_row(bench, &needles[i], experiments);
}
