/* bench.h - what the measurements share. All functions end the program on failure. */
#ifndef RFS_TESTS_BENCH_BENCH_H
#define RFS_TESTS_BENCH_BENCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct bench {
	const char *rfsup;   /* the program under test */
	const char *targets; /* the folder of the built targets */
	const char *self;    /* this program's own file, absolute */
	char *folder;	     /* for what rfsup writes; emptied and removed at the end */
	int core;	     /* the core for everything except the runs of table.c and peers.c */
	unsigned shrink;     /* detectors.c, peers.c: so many times less work */
};

void bench_die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* Monotonic. */
double bench_seconds(void);
/* Sorts values. The mean of the middle two if n is even. */
double bench_median(double *values, size_t n);

/* FOLDER/NAME. Caller frees. */
char *bench_target(const struct bench *bench, const char *name);
/* The same for a program of tests/bench/programs/. */
char *bench_program(const struct bench *bench, const char *name);
/* The same for one of tests/bench/peers/, built as a user would (plain) or with ThreadSanitizer (tsan). */
char *bench_peer(const struct bench *bench, const char *build, const char *name);
/* A number from the environment, so that a measurement can be tried at a small scale; or the usual one. */
const char *bench_setting(const char *name, const char *usual);
/* From here on this process and its children run on this core only; -1: on all that it began with. */
void bench_pin(int core);
/* Wall seconds of a program that must end with status 0. argv ends with NULL. */
double bench_native(const char *const *argv);
/*
 * Runs rfsup with a fresh output folder, --quiet and these words (at most 40, ends with NULL). Returns its report;
 * caller drops it (json_decref). Any status but 2 and 3 is all right.
 */
json_t *bench_rfsup(const struct bench *bench, const char *const *words);
/* MiB that rfsup and its target have at a time, at most, when it runs with these words. */
double bench_rfsup_peak(const struct bench *bench, const char *const *words);
/* report["stats"][key]. */
double bench_stat(const json_t *report, const char *key);
/* Executions of phase 2: planned ones of all pairs, without the replays of findings. */
double bench_confirm_runs(const json_t *report);
/* FOLDER/NAME with this text. Caller frees the path. */
char *bench_file(const struct bench *bench, const char *name, const char *text);
/* Removes a file or a folder with all that is in it. */
void bench_remove(const char *path);
/* The number of the line of a target's source that is marked RACE: MARK. */
unsigned bench_line(const char *target, const char *mark);
/* The number of the first line of the file that has this text. */
unsigned bench_line_of(const char *path, const char *text);

/* The rows of a table whose name contains BENCH_ROW, if that is in the environment; so several can run at once. */
bool bench_has_row(const char *name);

/* goals.c, table.c, sampling.c, detectors.c, peers.c, growth.c, replay.c, against.c, first.c: print their part of the
 * results.
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

#endif
