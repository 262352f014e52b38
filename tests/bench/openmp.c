/*
 * openmp.c - forty OpenMP programs in the shapes of the usual race suites, each with its correct twin: how many races
 * rfsup creates, and what it says of the twins.
 *
 * The programs are tests/bench/programs/openmp/NAME.c, built without optimisation and with it, and without debug
 * information. BENCH_RUNS is the number of runs for each pair.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/bench.h"

#define SOURCES "tests/bench/programs/openmp"
#define NAME_MAX_BYTES 64

static const char *const builds[] = {"O0g", "O2g", "O2"};
#define N_BUILDS (sizeof(builds) / sizeof(*builds))

/* What one campaign said. */
struct said {
	size_t real; /* or harmful */
	size_t unclear, unconfirmed, others;
};

static bool is(const json_t *pair, const char *verdict)
{
	const char *own = json_string_value(json_object_get(pair, "verdict"));

	return own && strcmp(own, verdict) == 0;
}

static struct said campaign(const struct bench *bench, const char *build, const char *name, const char *suffix)
{
	const char *words[] = {"--runs", bench_setting("BENCH_RUNS", "40"), "--explore", "40", "--", NULL, NULL};
	struct said said = {0};
	char path[3 * NAME_MAX_BYTES], *program;
	json_t *report, *pair;
	size_t i;

	snprintf(path, sizeof(path), "openmp/%s/%s%s", build, name, suffix);
	words[5] = program = bench_program(bench, path);
	report = bench_rfsup(bench, words);
	json_array_foreach(json_object_get(report, "pairs"), i, pair)
	{
		said.real += is(pair, "real") || is(pair, "harmful");
		said.unclear += is(pair, "unclear");
		said.unconfirmed += is(pair, "unconfirmed");
	}
	said.others = json_array_size(json_object_get(report, "failures")) +
		      json_array_size(json_object_get(report, "deadlocks"));
	json_decref(report);
	free(program);
	return said;
}

struct names {
	char list[100][NAME_MAX_BYTES];
	size_t n;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void read_names(struct names *names)
{
	DIR *folder = opendir(SOURCES);
	struct dirent *entry;

	if (!folder)
		bench_die(SOURCES " cannot be read");
	while ((entry = readdir(folder)) && names->n < sizeof(names->list) / sizeof(*names->list)) {
		size_t length = strlen(entry->d_name);

		if (length > 2 && length < NAME_MAX_BYTES && strcmp(entry->d_name + length - 2, ".c") == 0)
			memcpy(names->list[names->n++], entry->d_name, length - 2);
	}
	closedir(folder);
	qsort(names->list, names->n, sizeof(*names->list), compare_names);
}

static void print_build(const struct bench *bench, const struct names *names, const char *build)
{
	size_t created = 0, unclear = 0, programs = 0, accused = 0, most = 0;

	printf("\n# OpenMP, built with %s: pairs of the racy program, and of its twin\n", build);
	printf("%-22s %8s %8s %8s | %8s %8s %8s\n", "program", "real", "unclear", "others", "real", "others",
	       "failures");
	for (size_t i = 0; i < names->n; i++) {
		struct said racy, twin;

		if (!bench_has_row(names->list[i]))
			continue;
		racy = campaign(bench, build, names->list[i], "");
		twin = campaign(bench, build, names->list[i], "_fixed");
		printf("%-22s %8zu %8zu %8zu | %8zu %8zu %8zu\n", names->list[i], racy.real, racy.unclear,
		       racy.unconfirmed, twin.real, twin.unclear + twin.unconfirmed, twin.others);
		fflush(stdout);
		programs++;
		created += racy.real + racy.unclear > 0;
		unclear += racy.real == 0 && racy.unclear > 0;
		accused += twin.real > 0 || twin.others > 0;
		most = twin.unclear + twin.unconfirmed > most ? twin.unclear + twin.unconfirmed : most;
	}
	printf("races created in %zu of %zu programs, only unclear ones in %zu; twins accused: %zu; most other pairs "
	       "of "
	       "a twin: %zu\n",
	       created, programs, unclear, accused, most);
}

void bench_openmp(const struct bench *bench)
{
	struct names names = {0};

	read_names(&names);
	for (size_t i = 0; i < N_BUILDS; i++)
		print_build(bench, &names, builds[i]);
}
