/*
 * report.h - what a campaign found, as plain data. The structs have the keys of the JSON object of rfsup(1);
 * report_text.c and report_json.c only write them.
 *
 * A struct rfs_report owns everything below it: strings and arrays come from malloc, and rfs_report_release() frees
 * them all. If a string is NULL, a count is zero with a NULL array, or a line is zero, the key does not apply and is
 * left out.
 */
#ifndef RFS_REPORT_H
#define RFS_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "supervisor/base/error.h"
#include "supervisor/symbols/source_place.h"

struct rfs_report_strings {
	char **items;
	size_t n_items;
};

/* One side of a pair. */
struct rfs_report_statement {
	struct rfs_source_place place;
	unsigned access; /* enum rfs_access_flags of policy.h; 0: unknown */
	bool seen;	 /* address, size and thread are known: a thread was parked here */
	uint64_t address, size;
	int thread;
	struct rfs_report_strings locks;
	struct rfs_source_stack stack;
};

enum rfs_failure_kind { RFS_FAILURE_SIGNAL, RFS_FAILURE_EXIT, RFS_FAILURE_DEADLOCK, RFS_FAILURE_HANG };

/* In ascending order of severity. */
enum rfs_verdict {
	RFS_VERDICT_UNCONFIRMED,
	RFS_VERDICT_UNCLEAR,
	RFS_VERDICT_REAL,
	RFS_VERDICT_HARMFUL,
	RFS_VERDICT_COUNT
};

enum rfs_tone { RFS_TONE_DIM, RFS_TONE_QUIET, RFS_TONE_WARNING, RFS_TONE_ALARM };

/* What reports say of a verdict. */
struct rfs_verdict_words {
	const char *name;	/* "harmful": in JSON and in the line of a finished pair */
	const char *heading;	/* "HARMFUL race", followed by the variable */
	const char *one, *many; /* in the summary, after their number */
	const char *remark;	/* a line below the counts; NULL: none */
	enum rfs_tone tone;
	bool finding;
};

struct rfs_report_pair {
	char id[17]; /* set by rfs_report_finish() */
	struct rfs_report_statement statement[2];
	enum rfs_verdict verdict;
	bool atomic;			   /* one access may be a legal atomic (unclear) */
	char *variable;			   /* "stats.hits", "heap block of 64 bytes, allocated at ..."; NULL: unknown */
	struct rfs_source_stack allocated; /* heap blocks: where it was allocated; not in the JSON */
	uint64_t planned, runs;		   /* runs < planned: incomplete */
	uint64_t timeouts;		   /* runs that did not end and created no race; not counted in runs */
	uint64_t reached[2];		   /* runs that reached each statement */
	uint64_t confirmed;		   /* runs that created the race */
	uint64_t failures;		   /* runs that created the race and failed */
	bool failed;			   /* the next three members apply */
	enum rfs_failure_kind kind;
	char *detail;
	bool attributed;   /* the failure goes away if the race is resolved the other way */
	bool not_replayed; /* the failing run was not replayed, because the campaign ended, or its replay timed out */
	bool has_seed;
	uint64_t seed; /* of a run that created the race, a failing one if there is one */
	char *record;  /* path, for --replay */
};

struct rfs_report_waiter {
	int thread;
	char *waits_for;
	struct rfs_report_strings holds;
	struct rfs_source_stack stack;
};

struct rfs_report_deadlock {
	char id[17];   /* set by rfs_report_finish() */
	uint64_t runs; /* runs that ended in the deadlock */
	struct rfs_report_waiter *threads;
	size_t n_threads;
	bool not_reproduced; /* its replay ended differently: not a finding */
	bool not_replayed;   /* the campaign ended before the replay, or the replay timed out */
	char *difference;    /* not_reproduced: the first operation that differed; NULL: not known */
	char *phase, *policy;
	uint64_t seed;
	char *record;
};

struct rfs_report_failure {
	char id[17]; /* set by rfs_report_finish() */
	enum rfs_failure_kind kind;
	char *detail;
	char *phase, *policy;
	uint64_t runs;			   /* runs that ended in the failure */
	bool not_reproduced;		   /* its replay ended differently: not a finding */
	bool not_replayed;		   /* the campaign ended before the replay, or the replay timed out */
	char *difference;		   /* not_reproduced: the first operation that differed; NULL: not known */
	bool plain;			   /* every baseline run shows it: not a finding */
	struct rfs_report_waiter *threads; /* hang: where each thread was at the end */
	size_t n_threads;
	uint64_t seed;
	char *record;
};

struct rfs_report_order {
	char *hash;
	uint64_t count;
};

struct rfs_report_stat {
	char *key;
	double value;
};

/* A phase of the campaign; runs < planned: incomplete. */
struct rfs_report_phase {
	char *name;
	uint64_t planned, runs, timeouts;
	uint64_t cut; /* runs that the budget ended early */
};

/* The runs of one sampler. */
struct rfs_report_sampling {
	char *policy, *options, *points; /* options, points: NULL if there are none */
	uint64_t runs, failures;
	uint64_t first_failure; /* number of the first failing run, from 1; 0: none */
	bool has_orders;	/* the next four members apply */
	uint64_t distinct_orders;
	double entropy, new_probability, unseen_orders; /* orders.h */
	struct rfs_report_order *orders;		/* most frequent first */
	size_t n_orders;
	struct rfs_report_stat *stats; /* the policy's counters, summed over its runs */
	size_t n_stats;
};

struct rfs_report_module {
	char *name, *build_id;
};

struct rfs_report {
	struct rfs_report_strings program;
	uint64_t seed;
	char *incomplete;   /* why the campaign is not complete; NULL: it is complete */
	bool interrupted;   /* --continue can go on */
	char *cut;	    /* what the budget cut, although all parts had their share of it; NULL: nothing */
	char *uncontrolled; /* the first run that could not be controlled, or a diverged replay; NULL: none */
	uint64_t threaded;  /* processes with threads besides the program, in the run that had most */
	struct rfs_report_strings beside; /* names of the files of these processes */
	uint64_t checked;		  /* how many runs of the first finding's seed were compared; 0: no finding */
	char *check_difference;		  /* the first operation that differed in them; NULL: no difference */
	bool has_plain;
	uint64_t plain_runs, plain_failures, plain_timeouts; /* a timeout counts as a failure */
	uint64_t plain_asleep; /* timeouts: runs that were given up early, because all threads slept for good */
	char *plain_failure;   /* the most frequent one, as "SIGABRT"; NULL: no baseline run failed */
	struct rfs_report_phase *phases;
	size_t n_phases;
	struct rfs_report_module *modules;
	size_t n_modules;
	bool has_predict;
	uint64_t predict_runs, predict_pairs;
	double predict_seconds;
	uint64_t later_runs, later_pairs; /* runs of later phases with a detector, and the pairs that they added */
	uint64_t measured; /* visible operations of the measuring run; 0: it did not end or was not made */
	double measure_seconds;
	struct rfs_report_pair *pairs;
	size_t n_pairs;
	struct rfs_report_deadlock *deadlocks;
	size_t n_deadlocks;
	struct rfs_report_failure *failures;
	size_t n_failures;
	struct rfs_report_sampling *samplings; /* of the sampling mode, in the order given */
	size_t n_samplings;
	struct rfs_report_sampling *explored; /* of phase explore; without orders */
	size_t n_explored;
	struct rfs_report_stat *stats;
	size_t n_stats;
	char *directory; /* the output folder; NULL: none; not in the JSON */
};

void rfs_report_init(struct rfs_report *report);
void rfs_report_release(struct rfs_report *report);

/* Each adds a zeroed element and returns it. The pointer is borrowed until the next addition to the same array. */
struct rfs_report_module *rfs_report_add_module(struct rfs_report *report);
struct rfs_report_phase *rfs_report_add_phase(struct rfs_report *report);
struct rfs_report_pair *rfs_report_add_pair(struct rfs_report *report);
struct rfs_report_deadlock *rfs_report_add_deadlock(struct rfs_report *report);
struct rfs_report_failure *rfs_report_add_failure(struct rfs_report *report);
struct rfs_report_sampling *rfs_report_add_sampling(struct rfs_report *report);
struct rfs_report_sampling *rfs_report_add_explored(struct rfs_report *report);
struct rfs_report_order *rfs_report_add_order(struct rfs_report_sampling *sampling);
void rfs_report_add_counter(struct rfs_report_sampling *sampling, const char *key, double value);
struct rfs_report_waiter *rfs_report_add_waiter(struct rfs_report_deadlock *deadlock);
struct rfs_report_waiter *rfs_report_add_thread(struct rfs_report_failure *failure);
/* The string is copied. */
void rfs_report_add_string(struct rfs_report_strings *strings, const char *string);
void rfs_report_add_stat(struct rfs_report *report, const char *key, double value);

/*
 * Call after all additions, and again after a change. Sorts the statements of each pair (by module's base name, then
 * offset; reached[] moves with them). Sets the ids. Sorts pairs (worst verdict first), deadlocks and failures, so that
 * equal findings give equal reports.
 */
void rfs_report_finish(struct rfs_report *report);

/* The fingerprint of two statements. It is the same in all runs, and on all machines that have the same modules. out:
 * 17 bytes. */
void rfs_report_pair_id(const struct rfs_source_place *a, const struct rfs_source_place *b, char *out);

/* The exit status of the report. If several apply, 1 has priority over 3, 3 over 4, and 4 over 0. */
enum rfs_exit rfs_report_exit(const struct rfs_report *report);

/* True if the failure shows in a controlled run and in its replay, and not in every baseline run. */
bool rfs_failure_is_finding(const struct rfs_report_failure *failure);

/* Borrowed for ever. */
const struct rfs_verdict_words *rfs_verdict_words(enum rfs_verdict verdict);
const char *rfs_failure_name(enum rfs_failure_kind kind);
/* True for a deadlock and a hang: there the position of the threads is the explanation. */
bool rfs_failure_shows_threads(enum rfs_failure_kind kind);

/* report_text.c, report_json.c. Both need rfs_report_finish() first. colour: use escape sequences. */
void rfs_report_write_text(const struct rfs_report *report, bool colour, FILE *out);
void rfs_report_write_json(const struct rfs_report *report, FILE *out);
/* "key: value" lines, for --stats. */
void rfs_report_write_stats(const struct rfs_report *report, FILE *out);

#endif
