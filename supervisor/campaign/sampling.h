/* sampling.h - what the runs of one sampler have in common, in phase 3 and in the sampling mode. */
#ifndef RFS_SAMPLING_H
#define RFS_SAMPLING_H

#include "supervisor/campaign/orders.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/run_result.h"

struct rfs_campaign;
struct rfs_sampler;
struct rfs_samplers;

/* The runs of one sampler. */
struct rfs_sampling {
	const struct rfs_sampler *sampler;
	uint64_t runs, failures;
	uint64_t first_failure;	    /* run, from 1; 0: none failed */
	struct rfs_orders orders;   /* of the sampling mode's runs that came to an end */
	struct rfs_run_stats stats; /* the policy's counters, summed */
	struct rfs_blob blob;	    /* what the run before saved; data NULL: nothing */
};

/* Zero: none. */
struct rfs_samplings {
	struct rfs_sampling *list;
	size_t n;
};

/* Borrows the samplers, which are loaded. */
void rfs_samplings_new(struct rfs_samplings *samplings, const struct rfs_samplers *samplers);
void rfs_samplings_release(struct rfs_samplings *samplings);
/* rfs_campaign_execution() for run i. */
void rfs_sampling_make(const struct rfs_campaign *c, const struct rfs_sampling *sampling, const char *label, uint64_t i,
		       enum rfs_points points, struct rfs_execution *out);
/* Notes all that run i contributes. True where it is kept. */
bool rfs_sampling_done(struct rfs_campaign *c, struct rfs_sampling *sampling, const char *phase, uint64_t i,
		       const struct rfs_execution *execution, struct rfs_run_result *result);
/* Runs a batch as the sampler needs it. */
void rfs_sampling_batch(struct rfs_campaign *c, const struct rfs_sampling *sampling, struct rfs_batch *batch);

#endif
