/* pair_list.h - the pairs of a campaign and the results of their runs. Phase predict or --pairs provides the pairs. */
#ifndef RFS_PAIR_LIST_H
#define RFS_PAIR_LIST_H

#include "supervisor/base/siteset.h"
#include "supervisor/campaign/decisions/arm.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/campaign/failures/failure_key.h"
#include "supervisor/campaign/failures/harm.h"
#include "supervisor/campaign/failures/saved_run.h"
#include "supervisor/campaign/predicted/survey.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"

struct rfs_campaign;
struct rfs_finding;
struct rfs_symbols;

/* Runs of a pair that created the race and failed with the same signature. */
struct rfs_pair_failure {
	struct rfs_failure_key key;
	uint64_t runs;
	struct rfs_saved_run first; /* the run with the smallest seed */
	bool tested;		    /* the test was begun */
	struct rfs_harm harm;	    /* whether the order of the race matters */
	bool attributed;	    /* it does */
	char *options;		    /* options of the policy of `first`, if this struct owns them; otherwise NULL */
};

/* Whether the order of a race changes the output (order_output.h). [0]: the order of the recorded run; [1]: the other
 * one. */
struct rfs_order_output {
	bool depends;	  /* the order changes the output; the rest is valid only then */
	uint64_t runs[2]; /* runs that came to the race */
	char *line[2];	  /* the first line that differs, of one run of each; NULL: it has no such line */
};

/* The most addresses that a pair keeps: enough for the chunks of a loop on a machine of today. */
#define RFS_PAIR_ADDRESSES 16

/* Where runs saw the accesses of a pair meet. */
struct rfs_meetings {
	struct rfs_address_name names[RFS_PAIR_ADDRESSES];
	size_t n;
};

/* One pair of instructions of a pair whose statements are lines with several accesses. */
struct rfs_narrow {
	struct rfs_statement_pair statements; /* of `sites` */
	struct rfs_site_ref sites[2];	      /* their names are borrowed from the pair */
	struct rfs_meetings met;
};

struct rfs_pair {
	struct rfs_statement_pair statements; /* owned */
	char *label;			      /* "pair-3"; part of the names of its files */
	bool predicted;
	unsigned named_kinds; /* named by the user: what rfs_pair_object_kinds() says of it */
	bool in_failure;      /* predicted by the second look at a failure (second_look.h) */
	/* if predicted: the race, as described by the first run that predicted it */
	struct rfs_race evidence;
	struct rfs_arm arm;
	char *group;		      /* a text that is equal for pairs of one group (pair_groups.h); NULL: of none */
	struct rfs_surveyed surveyed; /* of a report of another tool: what is known before its first run */
	uint64_t tried;		      /* runs that tried it among others (joint_runs.h) */
	bool tried_created;	      /* and one of them has created it */
	size_t suppressed; /* number of the suppression that hides it, so that it gets no runs; 0: none (suppress.h) */
	bool judged;	   /* its runs are replayed and tested */
	bool decided;	   /* its verdict is final */
	bool begun;	   /* it had a turn in a round, so its addresses no longer change: records refer to them */
	struct rfs_meetings met;
	/* if a statement has several sites: the pairs of sites that a run saw race; its runs try each of them */
	struct rfs_narrow **narrow;
	size_t n_narrow;
	/*
	 * Numbers of runs. runs: runs that ended by themselves or created the race. reached: runs that reached the
	 * statement. confirmed: runs that created the race. failed: runs that created the race and failed.
	 */
	uint64_t runs, reached[2], confirmed, failed;
	/* Of the run that passed the most executions of the statement: how many there were, and how many stopped. 0:
	 * all executions of all runs stopped. */
	uint64_t executed[2], stopped[2];
	uint64_t timeouts;	/* runs that timed out and created no race */
	uint64_t let_pass_from; /* after this many runs, only every second arrival is postponed; 0: never */
	/* runs of the first half that postponed threads at any address, and how many of them created the race */
	uint64_t anywhere, anywhere_confirmed;
	bool by_address;	 /* also the second half of its runs postpones threads only at its addresses */
	uint64_t first_reach[2]; /* for each statement the number of the first run that reached it, from 1; 0: none */
	struct rfs_evidence stood[2]; /* unconfirmed: a thread parked at each statement; module NULL: not known */
	bool has_created;
	struct rfs_saved_run created; /* if has_created: a run that created the race and did not fail */
	struct rfs_pair_failure *failures;
	size_t n_failures;
	enum rfs_verdict verdict;
	struct rfs_order_output output; /* if real: whether the order of the race changes the output */
};

/* Zeroed: no pairs. Pairs are never removed and stay at their address, because the specs of saved runs point to them.
 */
struct rfs_pair_list {
	struct rfs_pair **list;
	size_t n;
	size_t n_settled;	      /* the first ones, which have a label and statements */
	struct rfs_site_set **sites;  /* of all settled pairs: one set for each time that the sites grew */
	unsigned *object_kinds;	      /* of the same pairs: what rfs_pair_list_object_kinds() says of each set */
	size_t n_sites;		      /* how many sets; the last one is current */
	uint64_t n_atomic, n_unnamed; /* predicted, not listed: atomic on both sides; code without a name */
};

/* Adds the pairs that a detector found in a run (result->predicted; new ones are moved). Returns how many were new. */
size_t rfs_pair_list_join(struct rfs_pair_list *pairs, struct rfs_symbols *symbols, struct rfs_run_result *result);
/* Adds a pair without evidence. Its statements are the caller's to fill before rfs_pair_list_settle(). */
struct rfs_pair *rfs_pair_list_add(struct rfs_pair_list *pairs);
/* Sorts and labels the pairs that were added since the last call, and adds their sites to the current set. */
void rfs_pair_list_settle(struct rfs_pair_list *pairs);
/* Notes which instructions of settled pairs may race, and where they met, if a detector found so in a run. */
void rfs_pair_list_meet(struct rfs_pair_list *pairs, struct rfs_symbols *symbols, const struct rfs_run_result *result);
/* Whether a run with these statements is a run of the pair. */
bool rfs_pair_has(const struct rfs_pair *pair, const struct rfs_statement_pair *statements);
/* The sites of all settled pairs. Valid as long as the list, even if the sites grow later. */
const struct rfs_site_set *rfs_pair_list_sites(const struct rfs_pair_list *pairs);
/*
 * The kinds of objects at which system calls of the pair meet: object_kinds of the spec of its runs. 0: neither
 * statement is a system call.
 */
unsigned rfs_pair_object_kinds(const struct rfs_pair *pair);
/* The same of all pairs whose sites are in this set (rfs_pair_list_sites()). */
unsigned rfs_pair_list_object_kinds(const struct rfs_pair_list *pairs, const struct rfs_site_set *sites);
/* A saved run of the pair whose race is a use after free. NULL: there is none. Borrowed. */
const struct rfs_saved_run *rfs_pair_use_after_free(const struct rfs_pair *pair);
void rfs_pair_list_release(struct rfs_pair_list *pairs);
/*
 * The number, from 1, of the harmful pair that already reports this failure, which means an equal signature and an
 * equal stack at the fault. 0: there is none. Call after all verdicts.
 */
size_t rfs_pair_list_explains(const struct rfs_campaign *c, const struct rfs_finding *finding);

#endif
