/*
 * enumerate.h - every schedule of a small program on the model machine, and the partial order of each, so that a
 * sampler can be held against all there is.
 */
#ifndef RFS_TEST_ENUMERATE_H
#define RFS_TEST_ENUMERATE_H

#include "tests/policy/model.h"

/*
 * The dependence structure of one run, written out: for every operation, in the order of (thread, number in its
 * thread), the operations of other threads before it that it depends on. Two runs are linearisations of one partial
 * order if and only if these are equal. Deliberately simple: it looks at all pairs of operations, by rfs_dependent()
 * alone.
 */
struct partial_order {
	unsigned char *bytes;
	size_t n;
};

struct partial_orders {
	struct partial_order *orders; /* all different */
	uint64_t *counts;	      /* runs that had it */
	size_t n, capacity;
	uint64_t runs;
};

/* Runs the program under each schedule there is, every access visible; aborts if there are more than max_runs. */
void enumerate_program(const struct model_program *program, uint64_t max_runs, struct partial_orders *out);

/* Runs it once under the policy; the order is added to *out. Returns its index there. */
size_t sample_program(const struct model_program *program, const struct rfs_policy_ops *policy, const char *options,
		      const struct rfs_blob *blob, uint64_t seed, struct partial_orders *out);

void partial_orders_release(struct partial_orders *orders);

#endif
