/*
 * executions.c - what one execution from the fork server costs, in milliseconds of CPU time of rfsup and its target
 * together. Each session is made twice, with few and with many executions. The difference leaves out what a session
 * costs once: compilers, reading debug information, reports.
 *
 * If BENCH_AGAINST names another rfsup, both are measured in turns. Both make the same executions.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/bench/bench.h"
#include "tests/bench/process.h"

#define WORDS_MAX 24
#define ROUNDS_MAX 99

struct subject {
	const char *name;
	const char *words[WORDS_MAX];
	const char *few, *many; /* an option each */
	const char *program;	/* NULL: none */
};

#define GLIB "/usr/lib/x86_64-linux-gnu/libglib-2.0.so.0"
#define GENERATE "--generate", GLIB, "--header=glib.h", "--cflags", CFLAGS
/* what pkg-config --cflags glib-2.0 prints on Debian */
#define CFLAGS "-I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include"

static const struct subject subjects[] = {
	{"figure1, policy random", {"--policy=random", "--detector=none"}, "--runs=100", "--runs=1100", "figure1"},
	{"figure1, policy surw", {"--policy=surw", "--detector=none"}, "--runs=100", "--runs=1100", "figure1"},
	{"GLib, GAsyncQueue", {GENERATE, "--type=GAsyncQueue"}, "--tests=3", "--tests=15", NULL},
};

struct session {
	double cpu, executions;
};

/* The number of executions in the report of a session with generated tests, or of a campaign. */
static double executions_of(const char *path)
{
	json_error_t error;
	json_t *report = json_load_file(path, 0, &error), *n;
	double executions;

	if (!report)
		bench_die("the report of rfsup: line %d: %s", error.line, error.text);
	n = json_object_get(report, "executions");
	executions = n ? json_number_value(n) : bench_stat(report, "runs");
	json_decref(report);
	return executions;
}

static struct session measure(const struct bench *bench, const struct subject *subject, const char *rfsup,
			      const char *amount)
{
	char *said = bench_file(bench, "executions.json", ""), *folder = bench_file(bench, "unused", "");
	char *program = subject->program ? bench_program(bench, subject->program) : NULL;
	const char *common[] = {"--quiet", "--format=json", "-o", folder, amount};
	const char *argv[WORDS_MAX + 8] = {rfsup};
	size_t n = 1;
	struct session session;
	struct bench_cost cost;

	for (size_t i = 0; subject->words[i]; i++)
		argv[n++] = subject->words[i];
	for (size_t i = 0; i < sizeof(common) / sizeof(*common); i++)
		argv[n++] = common[i];
	argv[n] = program;
	remove(folder);
	cost = bench_run(argv, said, false);
	if (cost.status == 2 || cost.status == 3)
		bench_die("%s: %s ended with status %d", subject->name, rfsup, cost.status);
	session = (struct session){cost.cpu, executions_of(said)};
	bench_remove(folder);
	free(program);
	free(said);
	free(folder);
	return session;
}

/* Milliseconds of CPU time of one execution. */
static double cost_of(const struct bench *bench, const struct subject *subject, const char *rfsup)
{
	struct session few = measure(bench, subject, rfsup, subject->few);
	struct session many = measure(bench, subject, rfsup, subject->many);

	if (many.executions <= few.executions)
		bench_die("%s: no more than %.0f executions", subject->name, few.executions);
	return 1000 * (many.cpu - few.cpu) / (many.executions - few.executions);
}

static void row(const struct bench *bench, const struct subject *subject, const char *other, unsigned rounds)
{
	double own[ROUNDS_MAX], others[ROUNDS_MAX], ratio[ROUNDS_MAX];

	for (unsigned i = 0; i < rounds; i++) {
		own[i] = cost_of(bench, subject, bench->rfsup);
		if (!other)
			continue;
		others[i] = cost_of(bench, subject, other);
		ratio[i] = own[i] / others[i];
	}
	printf("%-24s %9.3f", subject->name, bench_median(own, rounds));
	if (other)
		printf(" %9.3f %8.2f", bench_median(others, rounds), bench_median(ratio, rounds));
	printf("\n");
	fflush(stdout);
}

void bench_executions(const struct bench *bench)
{
	const char *other = getenv("BENCH_AGAINST");
	int rounds = atoi(bench_setting("BENCH_ROUNDS", "3"));

	if (rounds < 1 || rounds > ROUNDS_MAX)
		bench_die("BENCH_ROUNDS is not an integer between 1 and %d", ROUNDS_MAX);
	printf("\nexecutions from the fork server: CPU ms of each, rfsup and target together, medians of %d rounds\n\n"
	       "%-24s %9s%s\n",
	       rounds, "session", "this", other ? "     other    ratio" : "");
	for (size_t i = 0; i < sizeof(subjects) / sizeof(*subjects); i++)
		if (bench_has_row(subjects[i].name))
			row(bench, &subjects[i], other, (unsigned)rounds);
}
