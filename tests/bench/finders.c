/*
 * finders.c - how many races FastTrack reports under several policies (DrFinder, FSE 2015, table 3). The programs are
 * the paper's figure 2 and programs of real size. Accesses are recorded by stubs.
 *
 * FastTrack works only in controlled runs, so the paper's native scheduling is replaced by PCT without change points.
 * In both, threads are not preempted: most native runs take only a few milliseconds. PCT has more orders than native
 * runs, because the priorities of threads differ in each run.
 *
 * The races that ten runs show depend on the seeds, so each figure is the mean of several experiments. Time is CPU
 * time, so other load on the machine matters little.
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
/*
 * Seconds for each execution. It is long, because an execution that times out shows fewer pairs, and servers on a busy
 * machine are slow.
 */
#define TIMEOUT bench_setting("BENCH_TIMEOUT", "600")

/*
 * Range of ports for servers, below the kernel's ports for clients. Processes that run in parallel use different ones.
 */
#define PORT_BASE 20000
#define PORTS 10000

struct finder {
	const char *name;
	bool target;		 /* built from targets/; otherwise from tests/bench/programs/ */
	const char *file;	 /* a target's or program's name; or an absolute path, if a package installs it */
	const char *words[12];	 /* ends with NULL; "PORT" becomes a port that depends on the process id */
	const char *module;	 /* a module that is watched too, or NULL */
	const char *client_says; /* for a server: words for tests/e2e/programs/asks.c; NULL: no server */
};

static const struct finder finders[] = {
	{"figure 2 of the paper", true, "drfinder_figure2", {NULL}, NULL, NULL},
	{"GLib thread pool", false, "glib_pool", {NULL}, "libglib-2.0*", NULL},
	{"SQLite, four threads", false, "sqlite_threads", {NULL}, "libsqlite3*", NULL},
	{"APR thread pool", false, "apr_pool", {NULL}, "libapr*", NULL},
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

/* Results of ten runs. */
struct found {
	json_t *ids; /* one key for each pair; caller drops it */
	double slowdown, plain_ms, requests, thrashings, given_up;
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
	found->requests = number(stats, "requests");
	found->thrashings = number(stats, "thrashings");
	found->given_up = bench_stat(report, "timeouts") + bench_stat(report, "uncontrolled");
}

static struct found find_races(const struct bench *bench, const struct finder *finder, const char *policy,
			       int experiment)
{
	const char *words[40] = {"--policy", policy,  "--detector=fasttrack", "--runs", RUNS, "--timeout",
				 TIMEOUT,    "--seed"};
	char seed[24], port[16], drive[512], *program, *client = bench_program(bench, "asks");
	struct found found = {0};
	json_t *report;
	size_t n = 8;

	snprintf(seed, sizeof(seed), "%d", 1 + experiment * 1000000);
	words[n++] = seed;

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
	fprintf(stderr, "%s, experiment %d, %s: %zu pairs, %g runs given up\n", finder->name, experiment + 1, policy,
		json_object_size(found.ids), found.given_up);
	json_decref(report);
	free(program);
	free(client);
	return found;
}

/* How many keys of `ids` are missing in all n others. */
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

static bool is_there(const struct finder *finder)
{
	return *finder->file != '/' || access(finder->file, X_OK) == 0;
}

/* Sums over all experiments with one program. */
struct sums {
	double pairs[N_COLUMNS], slowdown[N_COLUMNS], fresh, requests, thrashings, given_up, plain_ms;
};

static void add_experiment(const struct bench *bench, const struct finder *finder, int experiment, struct sums *sums)
{
	struct found found[N_COLUMNS];

	for (size_t k = 0; k < N_COLUMNS; k++) {
		found[k] = find_races(bench, finder, columns[k].policy, experiment);
		sums->pairs[k] += (double)json_object_size(found[k].ids);
		sums->slowdown[k] += found[k].slowdown;
		sums->given_up += found[k].given_up;
	}
	sums->plain_ms += found[DRFINDER].plain_ms;
	sums->requests += found[DRFINDER].requests;
	sums->thrashings += found[DRFINDER].thrashings;
	sums->fresh += (double)new_ones(found[DRFINDER].ids, found, DRFINDER);
	for (size_t k = 0; k < N_COLUMNS; k++)
		json_decref(found[k].ids);
}

static void print_finder(const struct bench *bench, const struct finder *finder, int experiments)
{
	struct sums sums = {0};
	double best = 0;

	printf("%-24s", finder->name);
	fflush(stdout);
	if (!is_there(finder)) {
		printf(" is not installed\n");
		return;
	}
	for (int i = 0; i < experiments; i++)
		add_experiment(bench, finder, i, &sums);
	for (size_t k = 0; k < N_COLUMNS; k++) {
		printf(" %11.1f %6.0f", sums.pairs[k] / experiments, sums.slowdown[k] / experiments);
		if (k != DRFINDER && sums.pairs[k] > best)
			best = sums.pairs[k];
	}
	printf(" %8.1f %6.1f", sums.plain_ms / experiments, sums.fresh / experiments);
	if (sums.requests > 0)
		printf(" %7.3f", sums.thrashings / sums.requests);
	else
		printf(" %7s", "-");
	if (best > 0)
		printf(" %5.0f%%", 100 * (sums.pairs[DRFINDER] / best - 1));
	if (sums.given_up > 0)
		printf(" (%.0f runs were given up)", sums.given_up);
	printf("\n");
	fflush(stdout);
}

static double mean_pairs(const struct bench *bench, const struct finder *finder, const char *policy, int experiments)
{
	double pairs = 0;

	for (int i = 0; i < experiments; i++) {
		struct found found = find_races(bench, finder, policy, i);

		pairs += (double)json_object_size(found.ids);
		json_decref(found.ids);
	}
	return pairs / experiments;
}

static void print_depths(const struct bench *bench, const struct finder *finder, int experiments)
{
	static const char *const depths[] = {"2", "4", "8", "12", "20"};

	if (!finder) {
		printf("\n%-24s", "drfinder, by depth");
		for (size_t k = 0; k < sizeof(depths) / sizeof(*depths); k++)
			printf(" %9s", depths[k]);
		printf("\n");
		return;
	}
	printf("%-24s", finder->name);
	for (size_t k = 0; k < sizeof(depths) / sizeof(*depths); k++) {
		char policy[40];

		snprintf(policy, sizeof(policy), "drfinder:depth=%s", depths[k]);
		printf(" %9.1f", mean_pairs(bench, finder, policy, experiments));
		fflush(stdout);
	}
	printf("\n");
}

void bench_drfinder(const struct bench *bench)
{
	int experiments = atoi(bench_setting("BENCH_EXPERIMENTS", "5"));
	size_t n = sizeof(finders) / sizeof(*finders);

	printf("\ndrfinder: pairs that FastTrack reports in " RUNS
	       " runs (DrFinder, FSE 2015, table 3), at --points sync; accesses come\n"
	       "from stubs; mean of %d experiments. x: processor time of a run with its supervisor, in native runs;\n"
	       "native: that of the longest native run, ms; new: DrFinder's pairs that no other had; thrash: share of\n"
	       "requests that ended in thrashing, -: no lock was requested (GLib's are futexes of its own); gain:\n"
	       "DrFinder's pairs over the best of the others, goal 20%%. Unpreempted stands in for native scheduling,\n"
	       "which FastTrack cannot see\n\n%-24s",
	       experiments, "program");
	for (size_t k = 0; k < N_COLUMNS; k++)
		printf(" %11s %6s", columns[k].name, "x");
	printf(" %8s %6s %7s %6s\n", "native", "new", "thrash", "gain");
	for (size_t i = 0; i < n; i++)
		if (bench_has_row(finders[i].name))
			print_finder(bench, &finders[i], experiments);
	print_depths(bench, NULL, experiments);
	for (size_t i = 0; i < n; i++)
		if (bench_has_row(finders[i].name) && is_there(&finders[i]))
			print_depths(bench, &finders[i], experiments);
}
