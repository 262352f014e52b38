/* sampling.h - makes and counts the runs of one sampler, for phase explore and for the sampling mode. */
#ifndef RFS_SAMPLING_H
#define RFS_SAMPLING_H

#include "supervisor/campaign/decisions/arm.h"
#include "supervisor/campaign/phases/orders.h"
#include "supervisor/campaign/phases/tree_sampling.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/run_result.h"

struct rfs_campaign;
struct rfs_sampler;
struct rfs_samplers;

/* One sampler, and the counts of its runs. */
struct rfs_sampling {
	const struct rfs_sampler *sampler;
	struct rfs_arm arm; /* in phase explore */
	uint64_t first;	    /* number of its first run, in phase explore */
	char label[64];	    /* in the names of its files in phase explore */
	uint64_t runs, failures;
	uint64_t predicting;	       /* runs with a detector, in phase explore */
	uint64_t first_failure;	       /* number of the first run that failed, from 1; 0: none */
	struct rfs_orders orders;      /* of those runs that ended and computed their order */
	struct rfs_run_stats stats;    /* sums of the policy's counters over all runs */
	struct rfs_blob blob;	       /* what the policy saved in the previous run; data NULL: nothing */
	struct rfs_tree_sampling tree; /* if the sampler walks a tree, blob is the plan of its next run */
	uint64_t unused;	       /* runs that are no longer planned, because the tree has ended */
};

/* Zeroed: no samplings. */
struct rfs_samplings {
	struct rfs_sampling *list;
	size_t n;
	bool too_slow;	/* the budget has cut short a run with a detector, so no later run has one */
	bool many_wait; /* under a budget: more pairs were predicted than one joint run tries */
};

/* Makes one entry for each sampler. samplers: already loaded; borrowed. */
void rfs_samplings_new(struct rfs_samplings *samplings, const struct rfs_samplers *samplers);
void rfs_samplings_release(struct rfs_samplings *samplings);
/* True if runs of this sampler must be made one after the other, each in a batch of its sampler alone. */
bool rfs_sampling_alone(const struct rfs_sampling *sampling);
/*
 * How many runs this sampler makes while another one makes one. More than 1: runs in a row are worth more, because each
 * one uses what all runs before have found out.
 */
unsigned rfs_sampling_weight(const struct rfs_sampling *sampling);
/* Whether the runs of this sampler are under the built-in policy of this name. */
bool rfs_sampling_is_of(const struct rfs_sampling *sampling, const char *policy);
/* Whether this sampler walks a tree that many runs will not end. */
bool rfs_sampling_tree_is_large(const struct rfs_sampling *sampling);
/* True if this sampler executes a list of schedules, the simplest ones first. */
bool rfs_sampling_lists(const struct rfs_sampling *sampling);
/* Shares unused runs among the samplers that walk no tree. Returns how many runs are planned again. */
uint64_t rfs_samplings_share(struct rfs_samplings *samplings);
/* How many of the next `most` runs can be made in one batch. After each run of a tree, it may have no more. */
uint64_t rfs_sampling_batch_size(const struct rfs_sampling *sampling, uint64_t most);
/* Fills the execution of run i as rfs_campaign_execution() does, and adds the options and the blob of the policy. */
void rfs_sampling_make(const struct rfs_campaign *c, const struct rfs_sampling *sampling, const char *label, uint64_t i,
		       enum rfs_points points, struct rfs_execution *out);
/* Counts run i with all its results. True if the run was saved; its files must then stay. */
bool rfs_sampling_done(struct rfs_campaign *c, struct rfs_sampling *sampling, const char *phase, uint64_t i,
		       const struct rfs_execution *execution, struct rfs_run_result *result);
/*
 * Runs a batch. If the sampler is native, the runs are uncontrolled. If the policy saves a blob, they are made one
 * after the other.
 */
void rfs_sampling_batch(struct rfs_campaign *c, const struct rfs_sampling *sampling, struct rfs_batch *batch);

#endif
