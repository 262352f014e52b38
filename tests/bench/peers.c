/*
 * peers.c - the cost of looking for races. Compares phase 1 (one execution with the hybrid detector) and phase 2 (one
 * execution for one pair) of rfsup with Helgrind and DRD. If source is available, ThreadSanitizer is compared too.
 *
 * All tools alternate in each round, and figures are medians of the rounds. Each tool runs as its user would run it, on
 * all cores; phase 2 and Valgrind use one core at a time. The time of phase 1 is that of the whole command without the
 * baseline runs: it reads the code, and makes both passes of one run. It creates no races (--no-confirm). The time of
 * phase 2 excludes what a campaign does only once. CPU seconds can be compared even if the machine is busy.
 * BENCH_TOOLS chooses tools: parts of their names, with | between them.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/bench.h"
#include "tests/bench/process.h"

#define ROUNDS_MAX 25
#define WORDS 8

enum tool { NATIVE, ONE_CORE, PHASE1, PHASE2, HELGRIND, DRD, TSAN, TOOLS };
static const char *const names[TOOLS] = {"native",   "on one core", "rfsup phase 1", "rfsup phase 2",
					 "helgrind", "drd",	    "tsan"};

struct subject {
	const char *name;
	const char *source;	  /* a file of tests/bench/peers/; NULL: a program of Debian */
	const char *words[WORDS]; /* with source: only its arguments; INPUT becomes the 8 MB file */
	const char *module;	  /* the module that does the work; NULL: the program itself */
	bool compute;		  /* the goals for compute kernels apply */
	const char *policy;	  /* of phase 1: the one that a campaign has for runs of this length; NULL: random */
};

#define INPUT "@"
#define INPUT_SIZE (8u << 20)

static const struct subject subjects[] = {
	{"moldyn", "moldyn.c", {"4000", "4"}, NULL, true, NULL},
	{"sor", "sor.c", {"1000", "4"}, NULL, true, NULL},
	{"raytracer", "raytracer.c", {"300", "4"}, NULL, true, NULL},
	{"montecarlo", "montecarlo.c", {"40000", "4"}, NULL, true, NULL},
	{"locks, 1,000,000 pairs", "locks.c", {"1000000", "4"}, NULL, false, "random:stay=1000"},
	{"queue, 100,000 items", "queue.c", {"100000", "4"}, NULL, false, "random:stay=100"},
	{"grid, 20 x 20 locks", "grid.c", {"20", "4"}, NULL, false, "random:stay=100"},
	{"tasks, 100,000 numbers", "tasks.c", {"100000", "4"}, NULL, false, "random:stay=100"},
	{"btree, 7,000 keys", "btree.c", {"7000", "4"}, NULL, false, "random:stay=100"},
	{"water, 500 molecules", "water.c", {"500", "4"}, NULL, false, "random:stay=10"},
	{"allocs (C++)", "allocs.cc", {"100000", "4"}, NULL, false, NULL},
	{"pigz, 8 MB", NULL, {"/usr/bin/pigz", "-c", "-p4", INPUT}, "libz.so*", false, NULL},
	{"pbzip2, 8 MB", NULL, {"/usr/bin/pbzip2", "-c", "-k", "-p4", INPUT}, "libbz2.so*", false, NULL},
	{"xz -T2, 8 MB",
	 NULL,
	 {"/usr/bin/xz", "-c", "-k", "-T2", "-1", "--block-size=2MiB", INPUT},
	 "liblzma.so*",
	 false,
	 NULL},
	{"zstd -T2, 8 MB", NULL, {"/usr/bin/zstd", "-c", "-q", "-T2", INPUT}, NULL, false, NULL},
};

struct figures {
	double wall[TOOLS], cpu[TOOLS], peak[TOOLS]; /* 0 if not measured */
	double recorded;			     /* share of the accesses in phase 1 that did not stop */
	double events;				     /* accesses per second in phase 1 */
};

/*
 * Writes the program's command to argv: the plain build, or the one with ThreadSanitizer. Returns the number of words.
 */
static size_t command_of(const struct bench *bench, const struct subject *subject, const char *build, const char *input,
			 const char **argv)
{
	size_t n = 0;

	if (subject->source) {
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(subject->source, "."), subject->source);
		argv[n++] = bench_peer(bench, build, name);
	}
	for (size_t i = 0; i < WORDS && subject->words[i]; i++)
		argv[n++] = strcmp(subject->words[i], INPUT) ? subject->words[i] : input;
	argv[n] = NULL;
	return n;
}

/* Writes the words of rfsup that come before those of the program. Returns their number. */
static size_t phase_words(const struct subject *subject, enum tool phase, const char *pairs, const char **words)
{
	size_t n = 0;

	if (subject->module) {
		words[n++] = "--module";
		words[n++] = subject->module;
	}
	words[n++] = "--timeout=3600";
	words[n++] = "--runs=1";
	if (phase == PHASE2 && pairs) {
		words[n++] = "--pairs";
		words[n++] = pairs;
	} else {
		words[n++] = "--policy";
		words[n++] = phase == PHASE1 && subject->policy ? subject->policy : "random";
		words[n++] = phase == PHASE1 ? "--detector=hybrid" : "--detector=none";
		if (phase == PHASE1)
			words[n++] = "--no-confirm";
	}
	words[n++] = "--";
	return n;
}

/*
 * Makes a pairs file with one pair. If there is source: a statement that all threads execute, paired with itself.
 * Otherwise: the first pair in pairs.txt of the last phase 1, or NULL if it has none. Caller frees the path.
 */
static char *pairs_of(const struct bench *bench, const struct subject *subject)
{
	char text[512], path[256], line[256];
	FILE *file;

	if (subject->source) {
		unsigned number;

		snprintf(path, sizeof(path), "tests/bench/peers/%s", subject->source);
		number = bench_line_of(path, "/* PAIR */");
		snprintf(text, sizeof(text), "%s:%u %s:%u\n", subject->source, number, subject->source, number);
		return bench_file(bench, "pairs.txt", text);
	}
	snprintf(path, sizeof(path), "%s/out/pairs.txt", bench->folder);
	file = fopen(path, "re");
	*text = '\0';
	while (file && !*text && fgets(line, sizeof(line), file))
		if (*line != '#' && *line != '\n' && strncmp(line, "program:", 8) != 0)
			snprintf(text, sizeof(text), "%s", line);
	if (file)
		fclose(file);
	return *text ? bench_file(bench, "pairs.txt", text) : NULL;
}

static struct bench_cost rfsup_cost(const struct bench *bench, enum tool tool, bool pair, const char *const *words,
				    struct figures *figures)
{
	json_t *report = bench_rfsup(bench, words);
	double executions = tool == PHASE2 && pair ? bench_confirm_runs(report) : 1;
	struct bench_cost cost = {
		/* mean of all executions, because the replays of created races also use CPU time */
		.cpu = (bench_stat(report, "target_cpu_seconds") + bench_stat(report, "supervisor_cpu_seconds")) /
		       bench_stat(report, "runs")};

	if (tool == PHASE1) { /* the whole command except the baseline runs */
		cost.wall = bench_stat(report, "seconds") - bench_stat(report, "plain_seconds");
		cost.cpu = bench_stat(report, BENCH_COMMAND_CPU) - bench_stat(report, "plain_cpu_seconds");
	} else /* except what a campaign does once */
		cost.wall = bench_stat(report, pair ? "confirm_seconds" : "explore_seconds") / executions;

	if (tool == PHASE1) {
		figures->recorded = bench_stat(report, "accesses_recorded") / bench_stat(report, "accesses");
		figures->events = bench_stat(report, "accesses") / cost.wall;
	}
	json_decref(report);
	return cost;
}

/* Writes the words of the tool, then those of the program, to argv. False if the tool cannot measure this program. */
static bool words_of(const struct bench *bench, const struct subject *subject, enum tool tool, const char *pairs,
		     const char *input, const char **argv)
{
	static const char *const valgrind[TOOLS] = {[HELGRIND] = "--tool=helgrind", [DRD] = "--tool=drd"};
	size_t n = 0;

	if ((tool == TSAN && !subject->source) || !bench_is_wanted("BENCH_TOOLS", names[tool]))
		return false;
	if (valgrind[tool]) {
		argv[n++] = "valgrind";
		argv[n++] = "-q";
		argv[n++] = valgrind[tool];
	} else if (tool == PHASE1 || tool == PHASE2) {
		n = phase_words(subject, tool, pairs, argv);
	}
	command_of(bench, subject, tool == TSAN ? "tsan" : "plain", input, argv + n);
	return true;
}

static struct figures measure(const struct bench *bench, const struct subject *subject, int rounds, const char *input)
{
	double wall[TOOLS][ROUNDS_MAX], cpu[TOOLS][ROUNDS_MAX];
	const char *argv[2 * WORDS + 8];
	struct figures figures = {0};
	char *pairs = NULL;

	for (int round = 0; round < rounds; round++)
		for (enum tool tool = 0; tool < TOOLS; tool++) {
			struct bench_cost cost;

			if (!words_of(bench, subject, tool, pairs, input, argv))
				continue;
			if (tool == ONE_CORE)
				bench_pin(bench->core);
			cost = tool == PHASE1 || tool == PHASE2 ? rfsup_cost(bench, tool, pairs != NULL, argv, &figures)
								: bench_run(argv, "/dev/null", true);
			bench_pin(-1);
			if (tool == PHASE1 && !pairs)
				pairs = pairs_of(bench, subject);
			/* 66 is the exit status of ThreadSanitizer if it found a race */
			if (cost.status && (tool != TSAN || cost.status != 66))
				bench_die("%s under %s ended with status %d", subject->name, names[tool], cost.status);
			wall[tool][round] = cost.wall;
			cpu[tool][round] = cost.cpu;
		}
	for (enum tool tool = 0; tool < TOOLS; tool++)
		if (words_of(bench, subject, tool, pairs, input, argv)) {
			figures.wall[tool] = bench_median(wall[tool], (size_t)rounds);
			figures.cpu[tool] = bench_median(cpu[tool], (size_t)rounds);
			figures.peak[tool] = tool == PHASE1 || tool == PHASE2 ? bench_rfsup_peak(bench, argv)
									      : bench_peak(argv, "/dev/null", true);
		}
	free(pairs);
	return figures;
}

static void goal(const char *what, double figure, double bound, bool at_least)
{
	bool met = at_least ? figure >= bound : figure <= bound;

	if (!isfinite(figure) || figure <= 0) /* one of the tools was not chosen */
		return;
	printf("%26s %-52s %8.3f  %s %-5g %s\n", "", what, figure, at_least ? ">=" : "<=", bound,
	       met ? "met" : "not met");
}

static void print(const struct subject *subject, const struct figures *f)
{
	for (enum tool tool = 0; tool < TOOLS; tool++)
		if (f->wall[tool] > 0)
			printf("%-26s %-14s %9.3f %8.1f %9.3f %9.1f\n", tool ? "" : subject->name, names[tool],
			       f->wall[tool], f->wall[tool] / f->wall[NATIVE], f->cpu[tool], f->peak[tool]);
	printf("%26s (%.1f million accesses a second in phase 1)\n", "", f->events / 1e6);
	goal("phase 1: part of the accesses that stubs recorded", f->recorded, 0.99, true);
	goal("phase 1 to Helgrind, wall", f->wall[PHASE1] / f->wall[HELGRIND], subject->compute ? 0.2 : 0.5, false);
	goal("phase 1 to Helgrind, CPU", f->cpu[PHASE1] / f->cpu[HELGRIND], subject->compute ? 0.2 : 0.5, false);
	if (subject->source) {
		goal("phase 1 to ThreadSanitizer, wall", f->wall[PHASE1] / f->wall[TSAN], 2, false);
		goal("phase 1 to ThreadSanitizer, CPU", f->cpu[PHASE1] / f->cpu[TSAN], 2, false);
	}
	goal("phase 1 to Helgrind, peak memory", f->peak[PHASE1] / f->peak[HELGRIND], 1, false);
	if (subject->compute)
		goal("phase 2 to native on one core, wall", f->wall[PHASE2] / f->wall[ONE_CORE], 1.2, false);
	if (!subject->source)
		goal("phase 2 to native on one core, wall", f->wall[PHASE2] / f->wall[ONE_CORE], 3, false);
	putchar('\n');
	fflush(stdout);
}

/* Makes a file of artificial words that compresses about as well as text. Returns its path; caller frees. */
static char *make_input(const struct bench *bench, size_t size)
{
	char *text = malloc(size + 16), *path;
	uint64_t state = 1;
	size_t at = 0;

	if (!text)
		bench_die("out of memory");
	while (at < size) {
		uint64_t word;

		state = state * 6364136223846793005u + 1442695040888963407u;
		word = (state >> 33) % 997 * ((state >> 50) % 31 + 1); /* some words are more frequent */
		for (int i = 0; i < 2 + (int)(word % 7); i++)
			text[at++] = (char)('a' + (word >> i) % 23);
		text[at++] = word % 11 ? ' ' : '\n';
	}
	text[size] = '\0';
	path = bench_file(bench, "input", text);
	free(text);
	return path;
}

void bench_peers(const struct bench *bench)
{
	int rounds = atoi(bench_setting("BENCH_ROUNDS", "5"));
	char *input = make_input(bench, INPUT_SIZE / bench->shrink);

	if (rounds > ROUNDS_MAX)
		bench_die("BENCH_ROUNDS: at most %d", ROUNDS_MAX);
	printf("\npeers: seconds, as a multiple of the plain program, CPU seconds, peak MiB; medians of %d\n\n"
	       "%-26s %-14s %9s %8s %9s %9s\n",
	       rounds, "program", "", "wall", "x native", "cpu", "peak");
	for (size_t i = 0; i < sizeof(subjects) / sizeof(*subjects); i++) {
		struct figures figures;

		if (!bench_has_row(subjects[i].name))
			continue;
		figures = measure(bench, &subjects[i], rounds, input);
		print(&subjects[i], &figures);
	}
	free(input);
}
