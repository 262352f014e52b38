/*
 * finders.c - the races that FastTrack reports under each way of scheduling (DrFinder, FSE 2015, table 3), on the
 * paper's figure 2 and on programs of real size. Accesses come from stubs.
 *
 * FastTrack sees controlled runs only. What stands in for native scheduling is PCT without a change point: no thread
 * is preempted, as in most native runs that take a few milliseconds.
 *
 * Time is processor time, so that other load of the machine matters little.
 */
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/bench/bench.h"

#define RUNS "10"
/* Seconds of one: pairs of executions that are given up would be missing, and a server on a busy machine takes long. */
#define TIMEOUT "600"

/* Ports below those that the kernel gives to clients; processes that run side by side have different ones. */
#define PORT_BASE 20000
#define PORTS 10000

struct finder {
	const char *name;
	bool target;		 /* built of targets/, not of tests/bench/programs/ */
	const char *file;	 /* absolute: of a package */
	const char *words[12];	 /* ends with NULL; "PORT" stands for the port, which comes from the process id */
	const char *module;	 /* watched as well; NULL: none */
	const char *client_says; /* a server: shell words for tests/e2e/programs/asks.c; NULL: none */
};

static const struct finder finders[] = {
	{"figure 2 of the paper", true, "drfinder_figure2", {NULL}, NULL, NULL},
	{"GLib thread pool", false, "glib_pool", {NULL}, "libglib-2.0*", NULL},
	{"SQLite, four threads", false, "sqlite_threads", {NULL}, "libsqlite3*", NULL},
	{"synchronised queue", false, "collections", {"queue"}, NULL, NULL},
	{"memcached, four workers",
	 false,
	 "/usr/bin/memcached",
	 {"-u", "root", "-l", "127.0.0.1", "-U", "0", "-t", "4", "-p", "PORT"},
	 NULL,
	 "4 'set a 0 0 2~hi' 'get a' 'append a 0 0 1~x' 'get a' 'incr n 1' 'delete a' stats"},
	{"redis, three io-threads",
	 false,
	 "/usr/bin/redis-server",
	 {"--port", "PORT", "--save", "", "--io-threads", "3", "--io-threads-do-reads", "yes", "--bind", "127.0.0.1"},
	 NULL,
	 "4 'SET a hi' 'GET a' 'INCR n' 'LPUSH l x' 'LRANGE l 0 -1' 'DEL a'"},
};

/* What ten runs showed. */
struct found {
	json_t *ids; /* a key for each pair; the caller's to drop */
	double slowdown, plain_ms, thrashing;
};

static double number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : 0;
}

static void read_report(const json_t *report, struct found *found)
{
	const json_t *stats = json_object_get(json_object_get(report, "sampling"), "stats"), *pair;
	double runs = bench_stat(report, "runs"), plain = bench_stat(report, "plain_cpu_seconds");
	size_t i;

	found->ids = json_object();
	json_array_foreach(json_object_get(report, "pairs"), i, pair)
		json_object_set_new(found->ids, json_string_value(json_object_get(pair, "id")), json_true());
	found->plain_ms = plain * 1e3;
	found->slowdown = (bench_stat(report, "target_cpu_seconds") + bench_stat(report, "supervisor_cpu_seconds")) /
			  runs / plain;
	if (number(stats, "requests") > 0)
		found->thrashing = number(stats, "thrashings") / number(stats, "requests");
}

static struct found find_races(const struct bench *bench, const struct finder *finder, const char *policy)
{
	const char *words[40] = {"--policy", policy, "--detector=fasttrack", "--runs", RUNS, "--timeout", TIMEOUT};
	char port[16], drive[512], *program, *client = bench_program(bench, "asks");
	struct found found = {0};
	json_t *report;
	size_t n = 7;

	snprintf(port, sizeof(port), "%d", PORT_BASE + (int)getpid() % PORTS);
	if (finder->module) {
		words[n++] = "--module";
		words[n++] = finder->module;
	}
	if (finder->client_says) {
		snprintf(drive, sizeof(drive), "%s %s %s", client, port, finder->client_says);
		words[n++] = "--drive";
		words[n++] = drive;
	}
	if (*finder->file == '/')
		program = strdup(finder->file);
	else
		program = finder->target ? bench_target(bench, finder->file) : bench_program(bench, finder->file);
	words[n++] = "--";
	words[n++] = program;
	for (const char *const *word = finder->words; *word; word++)
		words[n++] = strcmp(*word, "PORT") == 0 ? port : *word;
	report = bench_rfsup(bench, words);
	read_report(report, &found);
	json_decref(report);
	free(program);
	free(client);
	return found;
}

/* How many of ids are in none of the n others. */
static size_t new_ones(json_t *ids, const struct found *others, size_t n)
{
	const char *id;
	json_t *value;
	size_t fresh = 0;

	json_object_foreach(ids, id, value)
	{
		bool known = false;

		for (size_t i = 0; i < n; i++)
			known = known || json_object_get(others[i].ids, id);
		fresh += !known;
	}
	return fresh;
}

static const struct {
	const char *name, *policy;
} columns[] = {{"unpreempted", "pct:depth=1"}, {"random", "random"}, {"pct", "pct"}, {"drfinder", "drfinder"}};
#define N_COLUMNS (sizeof(columns) / sizeof(*columns))
#define DRFINDER (N_COLUMNS - 1)

static void print_finder(const struct bench *bench, const struct finder *finder)
{
	struct found found[N_COLUMNS];
	size_t best = 0;

	printf("%-24s", finder->name);
	if (*finder->file == '/' && access(finder->file, X_OK)) {
		printf(" is not installed\n");
		return;
	}
	for (size_t k = 0; k < N_COLUMNS; k++) {
		found[k] = find_races(bench, finder, columns[k].policy);
		printf(" %11zu %6.0f", json_object_size(found[k].ids), found[k].slowdown);
		fflush(stdout);
		if (k != DRFINDER && json_object_size(found[k].ids) > best)
			best = json_object_size(found[k].ids);
	}
	printf(" %8.1f %6zu %7.2f", found[DRFINDER].plain_ms, new_ones(found[DRFINDER].ids, found, DRFINDER),
	       found[DRFINDER].thrashing);
	if (best)
		printf(" %5.0f%%", 100 * ((double)json_object_size(found[DRFINDER].ids) / (double)best - 1));
	printf("\n");
	for (size_t k = 0; k < N_COLUMNS; k++)
		json_decref(found[k].ids);
}

void bench_drfinder(const struct bench *bench)
{
	static const char *const depths[] = {"2", "4", "8", "12", "20"};

	printf("\ndrfinder: pairs that FastTrack reports in " RUNS
	       " runs (DrFinder, FSE 2015, table 3), at --points sync; accesses come\n"
	       "from stubs. x: processor time of a run with its supervisor, in native runs; native: that of the\n"
	       "longest native run, ms; new: DrFinder's pairs that no other had; thrash: requests that ended in\n"
	       "thrashing; gain: DrFinder's pairs over the best of the others, goal 20%%. Unpreempted stands in for\n"
	       "native scheduling, which FastTrack cannot see\n\n%-24s",
	       "program");
	for (size_t k = 0; k < N_COLUMNS; k++)
		printf(" %11s %6s", columns[k].name, "x");
	printf(" %8s %6s %7s %6s\n", "native", "new", "thrash", "gain");
	for (size_t i = 0; i < sizeof(finders) / sizeof(*finders); i++)
		if (bench_has_row(finders[i].name))
			print_finder(bench, &finders[i]);
	printf("\n%-24s", "by depth");
	for (size_t k = 0; k < sizeof(depths) / sizeof(*depths); k++)
		printf(" %9s", depths[k]);
	printf("\n");
	for (size_t i = 0; i < 3; i++) {
		if (!bench_has_row(finders[i].name))
			continue;
		printf("%-24s", finders[i].name);
		for (size_t k = 0; k < sizeof(depths) / sizeof(*depths); k++) {
			struct found found;
			char policy[40];

			snprintf(policy, sizeof(policy), "drfinder:depth=%s", depths[k]);
			found = find_races(bench, &finders[i], policy);
			printf(" %9zu", json_object_size(found.ids));
			fflush(stdout);
			json_decref(found.ids);
		}
		printf("\n");
	}
}
