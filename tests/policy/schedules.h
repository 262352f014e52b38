/*
 * schedules.h - runs a small program under all its schedules: all threads, outcomes and waiters at each step. The code
 * is deliberately simple. It compares all operations with each other.
 */
#ifndef RFS_TEST_SCHEDULES_H
#define RFS_TEST_SCHEDULES_H

#include "tests/policy/model.h"

/* How a run ended, and which partial order it had. */
struct schedule_class {
	unsigned char *order; /* the operations sorted by thread, each with those that it depends on */
	size_t n;
	enum model_end end;
	int64_t error;
	unsigned preemptions; /* the fewest of all runs with this order */
	double probability;   /* of schedules_all(): that this order comes if all choices are equally probable */
};

struct schedule_classes {
	struct schedule_class *list; /* all different */
	size_t n, capacity;
	uint64_t runs;
};

/* False if there are more than max_runs schedules. */
bool schedules_all(const struct model_program *program, uint64_t max_runs, struct schedule_classes *out);
/* Runs the program once under the policy, and adds its class. Returns its index. saved: what the policy has saved. */
size_t schedules_one(const struct model_program *program, const struct rfs_policy_ops *policy,
		     const struct rfs_blob *blob, struct rfs_blob *saved, struct schedule_classes *out);
/* The same for a policy with a seed and options. Adds nothing if this order is known. */
size_t schedules_sample(const struct model_program *program, const struct rfs_policy_ops *policy,
			const struct rfs_policy_args *args, struct rfs_blob *saved, struct schedule_classes *out);
/* Copies the classes, and not the count of runs. The caller releases *out. */
void schedules_copy(const struct schedule_classes *from, struct schedule_classes *out);
void schedules_release(struct schedule_classes *classes);

#endif
