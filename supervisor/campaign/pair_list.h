/* pair_list.h - the pairs of a campaign and the results of their runs. Phase predict or --pairs provides the pairs. */
#ifndef RFS_PAIR_LIST_H
#define RFS_PAIR_LIST_H

#include "supervisor/base/siteset.h"
#include "supervisor/campaign/saved_run.h"
#include "supervisor/campaign/verdict.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"

struct rfs_campaign;
struct rfs_symbols;

/* Runs of a pair that created the race and failed with the same signature. */
struct rfs_pair_failure {
	struct rfs_signature signature;
	uint64_t runs;
	struct rfs_saved_run first; /* the run with the smallest seed */
	bool attributed;	    /* the failure is attributed to the race (confirm.h) */
};

struct rfs_pair {
	struct rfs_statement_pair statements; /* owned */
	char *label;			      /* "pair-3"; part of the names of its files */
	bool predicted;
	struct rfs_race evidence; /* if predicted: the race, as described by the first run that predicted it */
	/*
	 * Numbers of runs. runs: runs that ended by themselves or created the race. reached: runs that reached the
	 * statement. confirmed: runs that created the race. failed: runs that created the race and failed.
	 */
	uint64_t planned, runs, reached[2], confirmed, failed;
	uint64_t timeouts;	 /* runs that timed out and created no race */
	uint64_t let_pass_from;	 /* after this many runs, only every second arrival is postponed; 0: never */
	uint64_t first_reach[2]; /* for each statement the number of the first run that reached it, from 1; 0: none */
	struct rfs_evidence stood[2]; /* unconfirmed: a thread parked at each statement; module NULL: not known */
	bool has_created;
	struct rfs_saved_run created; /* if has_created: a run that created the race and did not fail */
	struct rfs_pair_failure *failures;
	size_t n_failures;
	enum rfs_verdict verdict;
};

/* Zeroed: no pairs. */
struct rfs_pair_list {
	struct rfs_pair *list;
	size_t n;
	struct rfs_site_set sites; /* the sites of all pairs; rfs_pair_list_settle() fills it */
	/*
	 * How many predicted pairs are not in the list. n_atomic: because both accesses are atomic. n_unnamed: because
	 * their code is in no module.
	 */
	uint64_t n_atomic, n_unnamed;
};

/* Adds the pairs that the detector predicted in a run. Pairs that are not in the list yet are moved out of *result. */
void rfs_pair_list_join(struct rfs_pair_list *pairs, struct rfs_symbols *symbols, struct rfs_run_result *result);
/* Call when all pairs are known. Sorts and labels them, and collects their sites. */
void rfs_pair_list_settle(struct rfs_pair_list *pairs);
void rfs_pair_list_release(struct rfs_pair_list *pairs);
/* Writes the pairs to pairs.txt in the output folder. */
void rfs_pair_list_save(struct rfs_campaign *c);

#endif
