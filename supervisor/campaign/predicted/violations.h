/*
 * violations.h - the predicted atomicity and order violations of a campaign, and their runs in phase confirm. Each run
 * is under the policy atomicity or order, which tries to create one of them.
 *
 * A violation may be intended: the program may cope with it. So a created violation is only counted. A run that fails
 * is a finding (finding.h). Then the run is tested as that of a pair (harm.h): it is made again up to the moment at
 * which the thread is postponed between its sections, in half of the runs with the violation, in the other half without
 * it.
 */
#ifndef RFS_CAMPAIGN_VIOLATIONS_H
#define RFS_CAMPAIGN_VIOLATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/base/site.h"
#include "supervisor/base/siteset.h"
#include "supervisor/campaign/decisions/arm.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/campaign/failures/harm.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/record/violation.h"

struct rfs_campaign;
struct rfs_execution;
struct rfs_run_result;

/* How many kinds of runs there are, which differ in the options of the policy. */
#define RFS_VIOLATION_KINDS 4
/* A campaign keeps at most so many violations of each kind: atomicity and order. */
#define RFS_VIOLATIONS_MAX 64

struct rfs_predicted_violation {
	struct rfs_violation violation;
	char *label; /* "atomicity-1", "order-1"; part of the names of its files */
	/* of the first and the remote access, and of the remote one to the other variable; borrow the module's name */
	struct rfs_site_ref sites[3];
	struct rfs_site_ref second;	    /* of the second access of the first thread; borrows too */
	struct rfs_statement_pair pair;	    /* these two, as the spec has them */
	struct rfs_order_places order;	    /* of an order violation; borrows too */
	char *options[RFS_VIOLATION_KINDS]; /* of the policy */
	struct rfs_arm arm;
	size_t suppressed;  /* as of a pair */
	uint64_t runs;	    /* runs that ended by themselves */
	uint64_t created;   /* of these, runs in which the violation took place */
	uint64_t failed;    /* of these, runs that failed */
	uint64_t timeouts;  /* runs that timed out */
	bool has_failed;    /* the next members are valid: the first run that failed, not as baseline runs do if any */
	bool fails_plainly; /* as every baseline run does */
	uint64_t failure;   /* its number */
	struct rfs_signature signature;
	size_t finding; /* number of the finding that this run belongs to, from 1 */
	bool tested;
	struct rfs_harm harm; /* whether the violation is the cause of it */
	/* Harmful: the threads at the first and the remote operation when the violation took place. module NULL: not
	 * known. */
	struct rfs_evidence stood[2];
	bool waits; /* the early access was seen to be what a thread reads before it waits (goes_along.h) */
};

/* Zeroed: no violations. They are never removed and stay at their address, because specs of saved runs point to them.
 */
struct rfs_violation_list {
	struct rfs_predicted_violation **list;
	size_t n, n_settled;
	size_t n_labels[2]; /* of the settled ones: how many are atomicity and order violations */
	bool cut;	    /* there were more than fit */
};

/* Adds the violations that a run predicted; new ones are moved out of the result. */
void rfs_violation_list_join(struct rfs_violation_list *violations, struct rfs_run_result *result);
/* Adds a violation that the user named, and takes over what it owns. */
void rfs_violation_list_add(struct rfs_violation_list *violations, struct rfs_violation *violation);
/* Gives new violations their labels. The best ones come first; the order does not depend on that in which runs ended.
 */
void rfs_violation_list_settle(struct rfs_violation_list *violations);
/* Whether it is an order violation; otherwise it is an atomicity violation. */
bool rfs_violation_is_order(const struct rfs_predicted_violation *violation);
/* Whether the violation has runs left. */
bool rfs_violation_is_open(const struct rfs_predicted_violation *violation);
/* The planned runs of each violation of this kind, if a pair gets `runs`. Only after they are settled. */
uint64_t rfs_violation_planned(const struct rfs_violation_list *violations,
			       const struct rfs_predicted_violation *violation, uint64_t runs);
/* Fills the execution of run i of the violation. */
void rfs_violation_make(const struct rfs_campaign *c, const struct rfs_predicted_violation *violation, uint64_t i,
			struct rfs_execution *out);
/* Notes all results of run i. True if the run is saved. */
bool rfs_violation_done(struct rfs_campaign *c, struct rfs_predicted_violation *violation, uint64_t i,
			const struct rfs_execution *execution, struct rfs_run_result *result);
/* Tests the first failure of the violation, unless that was done. */
void rfs_violation_test(struct rfs_campaign *c, struct rfs_predicted_violation *violation);
/* The same for each violation. Call it after the failed runs were replayed. */
void rfs_violations_test(struct rfs_campaign *c);
/* Makes a run for each harmful violation, and notes the stacks of its two threads. */
void rfs_violations_look(struct rfs_campaign *c);
/* Whether the violation is the cause of its failure. */
bool rfs_violation_is_harmful(const struct rfs_predicted_violation *violation);
void rfs_violation_list_release(struct rfs_violation_list *violations);

#endif
