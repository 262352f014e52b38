/* bench.h - functions that the measurements share. All of them end the program on failure. */
#ifndef RFS_TESTS_BENCH_BENCH_H
#define RFS_TESTS_BENCH_BENCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct bench {
	const char *rfsup;   /* the rfsup that is measured */
	const char *targets; /* the folder of the built targets */
	const char *self;    /* absolute path of this program */
	char *folder;	     /* a folder for the output of rfsup; emptied and removed at the end */
	int core;	     /* where everything runs, except the runs of table.c and peers.c */
	unsigned shrink;     /* detectors.c and peers.c do so many times less work */
};

void bench_die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* Seconds of a clock that never goes back. */
double bench_seconds(void);
/* The median of n values. If n is even, this is the mean of the middle two. Sorts values. */
double bench_median(double *values, size_t n);

/* The path of a target. Caller frees. */
char *bench_target(const struct bench *bench, const char *name);
/* The path of a program of tests/bench/programs/. Caller frees. */
char *bench_program(const struct bench *bench, const char *name);
/*
 * The path of a program of tests/bench/peers/. build is "plain" (as a user would build it) or "tsan" (with
 * ThreadSanitizer). Caller frees.
 */
char *bench_peer(const struct bench *bench, const char *build, const char *name);
/* The number in this environment variable, or `usual`. With small numbers, a measurement can be tried quickly. */
const char *bench_setting(const char *name, const char *usual);
/* Limits this process and its future children to one core. -1: to all cores that this process had at its start. */
void bench_pin(int core);
/* Runs a program, which must end with status 0. Returns the wall time in seconds. argv ends with NULL. */
double bench_native(const char *const *argv);
/*
 * Runs rfsup with a new output folder, --quiet and these words (at most 40, terminated by NULL). Any status except 2
 * and 3 is accepted. Returns the report; caller drops it (json_decref). Its stats also have BENCH_COMMAND_CPU, the CPU
 * seconds of the whole command.
 */
#define BENCH_COMMAND_CPU "command_cpu"
json_t *bench_rfsup(const struct bench *bench, const char *const *words);
/* The highest memory use of rfsup and its target together, in MiB, for these words. */
double bench_rfsup_peak(const struct bench *bench, const char *const *words);
/* The number report["stats"][key]. */
double bench_stat(const json_t *report, const char *key);
/* The number of planned executions of all pairs in phase 2. Replays of findings are not included. */
double bench_confirm_runs(const json_t *report);
/* Writes text to the file `name` in the folder `bench->folder`. Returns its path; caller frees. */
char *bench_file(const struct bench *bench, const char *name, const char *text);
/* Removes a file, or a folder with its contents. */
void bench_remove(const char *path);
/* The number of the source line of a target that has the comment RACE: MARK. */
unsigned bench_line(const char *target, const char *mark);
/* The number of the first line of the file that contains this text. */
unsigned bench_line_of(const char *path, const char *text);

/*
 * Whether the name of a row contains BENCH_ROW, or one of its parts, if there are "|" between them. True if BENCH_ROW
 * is not set. So several processes can share a table.
 */
bool bench_has_row(const char *name);
/* The same for another variable of the environment than BENCH_ROW. */
bool bench_is_wanted(const char *setting, const char *name);

/*
 * Each prints its part of the results; see goals.c, table.c, sampling.c, detectors.c, peers.c, growth.c, replay.c,
 * against.c, first.c, openmp.c, executions.c and search.c.
 */
void bench_goals(const struct bench *bench);
void bench_table(const struct bench *bench);
void bench_orders(const struct bench *bench);
void bench_collections(const struct bench *bench);
void bench_drfinder(const struct bench *bench);
void bench_needles(const struct bench *bench);
void bench_detectors(const struct bench *bench);
void bench_peers(const struct bench *bench);
void bench_growth(const struct bench *bench);
void bench_replay(const struct bench *bench);
void bench_against(const struct bench *bench);
void bench_first(const struct bench *bench);
void bench_openmp(const struct bench *bench);
void bench_executions(const struct bench *bench);
void bench_search(const struct bench *bench);

#endif
