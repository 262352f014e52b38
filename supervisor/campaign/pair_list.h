/* pair_list.h - the pairs of a campaign: predicted, or named by --pairs, and what runs said of each. */
#ifndef RFS_PAIR_LIST_H
#define RFS_PAIR_LIST_H

#include "supervisor/base/siteset.h"
#include "supervisor/campaign/saved_run.h"
#include "supervisor/campaign/verdict.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"

struct rfs_campaign;
struct rfs_symbols;

/* Runs of one pair that created the race and failed in one way. */
struct rfs_pair_failure {
	struct rfs_signature signature;
	uint64_t runs;
	struct rfs_saved_run first; /* with the smallest seed */
	bool attributed;	    /* passes when the race is resolved the other way */
};

struct rfs_pair {
	struct rfs_statement_pair statements; /* owned */
	char *label;			      /* of its records: "pair-3" */
	bool predicted;
	struct rfs_race evidence;			       /* where predicted: of the first run that did */
	uint64_t planned, runs, reached[2], confirmed, failed; /* runs: that ended, or created the race */
	uint64_t timeouts;				       /* of those that did neither */
	uint64_t let_pass_from;	      /* runs after this many let every other arrival pass; 0: none does */
	uint64_t first_reach[2];      /* number of the first run that reached each statement, from 1; 0: none */
	struct rfs_evidence stood[2]; /* unconfirmed: a thread that stood there; no module: none is known */
	bool has_created;
	struct rfs_saved_run created; /* the first run that created it */
	struct rfs_pair_failure *failures;
	size_t n_failures;
	enum rfs_verdict verdict;
};

/* Zero: none is known. */
struct rfs_pair_list {
	struct rfs_pair *list;
	size_t n;
	struct rfs_site_set sites;    /* of all pairs, once they are settled */
	uint64_t n_atomic, n_unnamed; /* predicted, but not listed: atomic on both sides; in code without a name */
};

/* Adds the pairs that a detector found in a run (result->predicted, moved where they are new). */
void rfs_pair_list_join(struct rfs_pair_list *pairs, struct rfs_symbols *symbols, struct rfs_run_result *result);
/* Once all are known: sorts them, labels them, collects their sites. */
void rfs_pair_list_settle(struct rfs_pair_list *pairs);
void rfs_pair_list_release(struct rfs_pair_list *pairs);
/* Writes pairs.txt. */
void rfs_pair_list_save(struct rfs_campaign *c);

#endif
