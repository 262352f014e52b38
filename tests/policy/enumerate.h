/*
 * enumerate.h - runs a small program under all schedules on the model machine, and finds the partial order of each. A
 * test then compares the orders that a sampler finds with all that exist.
 */
#ifndef RFS_TEST_ENUMERATE_H
#define RFS_TEST_ENUMERATE_H

#include "tests/policy/model.h"

/*
 * The dependences of one run. For each operation, sorted by thread and number in the thread, it lists the earlier
 * operations of other threads that it depends on. Two runs linearise the same partial order if and only if these bytes
 * are equal. The code is deliberately simple: it compares all pairs of operations with rfs_dependent().
 */
struct partial_order {
	unsigned char *bytes;
	size_t n;
};

struct partial_orders {
	struct partial_order *orders; /* all different */
	uint64_t *counts;	      /* how many runs had each order */
	size_t n, capacity;
	uint64_t runs;
};

/* Runs the program under all schedules, with all accesses visible. Aborts if there are more than max_runs schedules. */
void enumerate_program(const struct model_program *program, uint64_t max_runs, struct partial_orders *out);

/* Runs the program once under the policy and adds its partial order to *out. Returns the order's index in *out. */
size_t sample_program(const struct model_program *program, const struct rfs_policy_ops *policy, const char *options,
		      const struct rfs_blob *blob, uint64_t seed, struct partial_orders *out);

void partial_orders_release(struct partial_orders *orders);

#endif
