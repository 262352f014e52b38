/* test_outcome.h - what the calls of one execution have given back, as text: a value for each observation. */
#ifndef RFS_TEST_OUTCOME_H
#define RFS_TEST_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_test_outcome {
	char **values;
	size_t n;
};

/* The outcomes of the sequential orders of a test, each one once. */
struct rfs_test_outcomes {
	struct rfs_test_outcome *list;
	size_t n;
	bool *unstable; /* for each observation: it is not compared, for example because it depends on addresses or time
			 */
	size_t n_values;
};

/* Reads the file that the driver has written, and removes it. False: it does not exist, or it is not complete. */
bool rfs_test_outcome_take(const char *path, struct rfs_test_outcome *out);
void rfs_test_outcome_release(struct rfs_test_outcome *outcome);

/* Takes over the outcome. */
void rfs_test_outcomes_add(struct rfs_test_outcomes *outcomes, struct rfs_test_outcome *outcome);
/* Marks the first n values as unstable. There must be an outcome. */
void rfs_test_outcomes_ignore(struct rfs_test_outcomes *outcomes, size_t n);
/* Marks values as unstable that differ from those of the first outcome. */
void rfs_test_outcomes_mark(struct rfs_test_outcomes *outcomes, const struct rfs_test_outcome *again);
/* Whether a sequential order has this outcome too. */
bool rfs_test_outcomes_allow(const struct rfs_test_outcomes *outcomes, const struct rfs_test_outcome *outcome);
void rfs_test_outcomes_release(struct rfs_test_outcomes *outcomes);

#endif
