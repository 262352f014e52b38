/* pair_list.h - the pairs of a campaign and the results of their runs. Phase predict or --pairs provides the pairs. */
#ifndef RFS_PAIR_LIST_H
#define RFS_PAIR_LIST_H

#include "supervisor/base/siteset.h"
#include "supervisor/campaign/arm.h"
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
	struct rfs_race evidence; /* if predicted: of the first run that predicted it */
	struct rfs_arm arm;
	bool judged;				      /* its verdict is final */
	uint64_t runs, reached[2], confirmed, failed; /* runs: those that ended or created the race */
	uint64_t timeouts;			      /* runs that did not end and created no race */
	uint64_t let_pass_from;	      /* runs after this many let every other arrival pass; 0: no run does */
	uint64_t first_reach[2];      /* number of the first run that reached each statement, from 1; 0: none */
	struct rfs_evidence stood[2]; /* unconfirmed: a thread that was parked there; no module: not known */
	bool has_created;
	struct rfs_saved_run created; /* if has_created: a run that created the race and did not fail */
	struct rfs_pair_failure *failures;
	size_t n_failures;
	enum rfs_verdict verdict;
};

/* Zeroed: no pairs. Pairs are never removed and stay at their address, because the specs of saved runs point to them.
 */
struct rfs_pair_list {
	struct rfs_pair **list;
	size_t n;
	size_t n_settled;	      /* the first ones, which have a label and statements */
	struct rfs_site_set **sites;  /* of all settled pairs: one set for each time that the sites grew */
	size_t n_sites;		      /* how many sets; the last one is current */
	uint64_t n_atomic, n_unnamed; /* predicted, not listed: atomic on both sides; code without a name */
};

/* Adds the pairs that a detector found in a run (result->predicted; new ones are moved). Returns how many were new. */
size_t rfs_pair_list_join(struct rfs_pair_list *pairs, struct rfs_symbols *symbols, struct rfs_run_result *result);
/* Adds a pair without evidence. Its statements are the caller's to fill before rfs_pair_list_settle(). */
struct rfs_pair *rfs_pair_list_add(struct rfs_pair_list *pairs);
/* Sorts and labels the pairs that were added since the last call, and adds their sites to the current set. */
void rfs_pair_list_settle(struct rfs_pair_list *pairs);
/* The sites of all settled pairs. Valid as long as the list, even if the sites grow later. */
const struct rfs_site_set *rfs_pair_list_sites(const struct rfs_pair_list *pairs);
void rfs_pair_list_release(struct rfs_pair_list *pairs);
/* Writes the pairs to pairs.txt in the output folder. */
void rfs_pair_list_save(struct rfs_campaign *c);

#endif
