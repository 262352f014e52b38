/*
 * report.h - what a campaign found, as plain data. The structs mirror the JSON object of rfsup-report(5).
 * Its forms: report_text.h, report_json.h, report_sarif.h, report_junit.h, html_index.h.
 *
 * A struct rfs_report owns everything below it: strings and arrays come from malloc, and rfs_report_release() frees
 * them all. A JSON key is left out if its string is NULL, its array is empty, or its line number is zero.
 */
#ifndef RFS_REPORT_H
#define RFS_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/base/error.h"
#include "supervisor/report/data/failure.h"
#include "supervisor/report/data/report_cycle.h"
#include "supervisor/report/data/report_identity.h"
#include "supervisor/report/data/report_misuse.h"
#include "supervisor/report/data/report_orders.h"
#include "supervisor/report/data/report_own.h"
#include "supervisor/report/data/report_proof.h"
#include "supervisor/report/data/report_run.h"
#include "supervisor/report/data/report_shown.h"
#include "supervisor/report/data/report_suppressed.h"
#include "supervisor/report/data/report_triage.h"
#include "supervisor/report/data/report_verdict.h"
#include "supervisor/report/data/report_violation.h"
#include "supervisor/report/data/report_waiter.h"
#include "supervisor/symbols/source_place.h"

/* One side of a pair. */
struct rfs_report_statement {
	struct rfs_source_place place;
	unsigned access; /* enum rfs_access_flags of policy.h; 0: unknown */
	bool seen;	 /* a thread was parked here, so address, size and thread are known */
	bool stale;	 /* the memory was freed after the thread had computed the address */
	uint64_t address, size;
	int thread, process;		 /* process: of the thread, if the program has forked it; otherwise 0 */
	int handler;			 /* the thread is the handler of this signal; 0: it is none */
	uint64_t team_number, team_size; /* OpenMP thread team_number of team_size; team_size 0: of no team */
	struct rfs_report_strings locks;
	struct rfs_source_stack stack;
};

/* How many parts of predicting runs a report lists. */
#define RFS_REPORT_PARTS 4

struct rfs_report_pair {
	struct rfs_report_identity identity;
	struct rfs_report_statement statement[2];
	enum rfs_verdict verdict;
	size_t ordinal;	 /* in the campaign, from 1; 0: not known */
	bool atomic;	 /* one access may be a legal atomic (unclear) */
	bool interrupts; /* one statement is in a handler that interrupts the thread of the other; not in the JSON */
	char *variable;	 /* "stats.hits", "next of struct node, allocated at ..."; NULL: unknown */
	struct rfs_source_stack allocated; /* for a heap block: the stack of its allocation; not in the JSON */
	uint64_t planned, runs;		   /* runs < planned: incomplete */
	uint64_t timeouts;		   /* runs that timed out and created no race; not counted in `runs` */
	uint64_t reached[2];		   /* runs that reached each statement */
	uint64_t tried; /* runs that tried it together with other pairs, if none of them created it */
	/* If a run did not stop at all executions of a statement: how many it had, and at how many it stopped. */
	uint64_t executed[2], stopped[2];
	uint64_t confirmed, failures; /* runs that created the race; of these, runs that failed */
	bool failed;		      /* kind, number, detail and attributed are valid */
	enum rfs_failure_kind kind;
	int number; /* as in struct rfs_report_failure */
	char *detail;
	struct rfs_report_strings said;	 /* what a sanitizer reported in the failing run */
	struct rfs_report_orders orders; /* attributed: whether the program fails depends on them */
	struct rfs_report_output output; /* of a race without a failure */
	bool attributed, not_replayed;	 /* not_replayed: the campaign ended first, or the replay timed out */
	uint64_t seed; /* if has_seed: of a run that created the race; of one that also failed, if there is one */
	bool has_seed;
	char *record; /* path of the record, for --replay */
	struct rfs_report_shown shown;
};

struct rfs_report_deadlock {
	struct rfs_report_identity identity;
	size_t finding; /* its number, from 1; 0: not known */
	uint64_t runs;	/* runs that ended in the deadlock */
	struct rfs_report_waiter *threads;
	size_t n_threads;
	bool cycle; /* each thread waits for another one; not in the JSON */
	struct rfs_report_run run;
};

struct rfs_report_failure {
	struct rfs_report_identity identity;
	enum rfs_failure_kind kind;
	size_t finding; /* its number, from 1; 0: not known */
	/* rfs_report_finish(): the harmful violation whose failure it is; NULL: none is known. Borrowed. */
	const struct rfs_report_violation *violation;
	int number; /* of the signal, or the exit status; 0: a hang; not in the JSON */
	char *detail;
	uint64_t runs;			   /* runs that ended in the failure */
	bool plain;			   /* every baseline run fails in this way, so it is not a finding */
	struct rfs_report_strings said;	   /* what a sanitizer reported */
	struct rfs_report_waiter *threads; /* for a hang: where each thread was at the end */
	size_t n_threads;
	struct rfs_report_run run;
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
	bool has_orders;	/* the members from distinct_orders to n_orders are valid */
	uint64_t distinct_orders;
	double entropy, new_probability, unseen_orders; /* see campaign/phases/orders.h */
	struct rfs_report_order *orders;		/* most frequent first */
	size_t n_orders;
	struct rfs_report_stat *stats; /* the policy's counters, summed over its runs */
	size_t n_stats;
};

struct rfs_report_module {
	char *name, *build_id;
};

/* The reason of a campaign that is incomplete only because there is nothing to schedule. */
#define RFS_ONE_THREAD "the program never had a second thread"

struct rfs_report {
	struct rfs_report_strings program;
	uint64_t seed;
	char *incomplete;   /* why the campaign is not complete; NULL: it is complete */
	char *next;	    /* the command that continues with what was left out; NULL: none */
	bool interrupted;   /* --continue can go on */
	char *part;	    /* "2 of 3": the report is that of a part of a plan; NULL: it is not */
	char *uncontrolled; /* describes the first run that could not be controlled, or a diverged replay; NULL: there
			       is none */
	char *process; /* "2.1": the process that is controlled in place of the program (--processes); NULL: none is */
	bool family;   /* processes that the program forks are scheduled with it, because they share memory */
	uint64_t threaded; /* processes besides the program with several threads, in the run with most of them */
	struct rfs_report_strings beside; /* names of the files of these processes */
	uint64_t checked;		  /* how many runs with the first finding's seed were compared; 0: no finding */
	char *check_difference;		  /* the first operation in which these runs differed; NULL: no difference */
	struct rfs_report_strings warnings; /* what was said while the campaign ran */
	bool has_plain;
	uint64_t plain_runs, plain_failures, plain_timeouts; /* baseline runs; plain_failures includes the timeouts */
	uint64_t plain_asleep; /* timeouts: runs that were given up early, because all threads slept forever */
	char *plain_failure;   /* the most frequent one, as "SIGABRT"; NULL: no baseline run failed */
	struct rfs_report_own own;
	bool verbose; /* the summary lists the strategies of phase explore; not in the JSON */
	bool is_test; /* a build or --gtest takes the program for a test, so its own failure is a failed test */
	struct rfs_report_phase *phases;
	size_t n_phases;
	struct rfs_report_module *modules;
	size_t n_modules;
	bool has_predict;
	uint64_t predict_runs, predict_pairs;
	/* Predicting runs that looked at a part of the program only: how many, and from which operation on until before
	 * which the first ones did so; UINT64_MAX: until the end. */
	size_t predict_parts;
	uint64_t predict_part[RFS_REPORT_PARTS][2];
	struct rfs_report_cycles cycles;
	struct rfs_report_violations violations;
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
	struct rfs_report_misuses misuses;
	struct rfs_report_suppressions suppressions;
	struct rfs_report_proof proof; /* --prove */
	struct rfs_report_triage triage;
	struct rfs_report_sampling *samplings; /* --policy only: in the order of the command line */
	size_t n_samplings;
	struct rfs_report_sampling *explored; /* the samplers of phase explore; they have no orders */
	size_t n_explored;
	struct rfs_report_stat *stats;
	size_t n_stats;
	char *directory; /* the output folder; NULL: none; not in the JSON */
	char *known_in;	 /* the earlier report that says what is known; NULL: none */
};

void rfs_report_init(struct rfs_report *report);
void rfs_report_release(struct rfs_report *report);

/*
 * Each of these functions adds a zeroed element and returns it. The pointer is borrowed until the next addition to the
 * same array.
 */
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
void rfs_report_add_stat(struct rfs_report *report, const char *key, double value);

/*
 * Call this after all additions, and again after a change. Sets the ids. Sorts the two statements of each pair by
 * base name of the module and then by offset, and swaps reached[] with them. Sorts pairs (worst verdict first),
 * deadlocks and failures, so that equal findings give equal reports.
 */
void rfs_report_finish(struct rfs_report *report);

/*
 * Writes the id of a pair to out (17 bytes). The id of a pair is the same in all runs, and on all machines that have
 * the same modules.
 */
void rfs_report_pair_id(const struct rfs_source_place *a, const struct rfs_source_place *b, char *out);

/* True if the program is a test that says in every uncontrolled run that it was skipped. */
bool rfs_report_own_skips(const struct rfs_report *report);

/* The exit status of rfsup for this report; known findings do not count. If several apply, 1 has priority over 3, 3
 * over 4, and 4 over 0. */
enum rfs_exit rfs_report_exit(const struct rfs_report *report);

/*
 * True if the replay of the failed run failed in the same way or was not made, and not every baseline run fails in this
 * way.
 */
bool rfs_failure_is_finding(const struct rfs_report_failure *failure);
/* The violation that it is the harm of counts first, then how the program ended. */
enum rfs_failure_class rfs_report_failure_class(const struct rfs_report_failure *failure);

#endif
