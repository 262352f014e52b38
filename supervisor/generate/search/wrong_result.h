/* wrong_result.h - results of calls that no sequential order of the calls gives. */
#ifndef RFS_WRONG_RESULT_H
#define RFS_WRONG_RESULT_H

#include <stddef.h>

#include "supervisor/generate/search/test_outcome.h"
#include "supervisor/generate/tests/observation.h"

/* Without values that depend on addresses or time. */
struct rfs_wrong_result {
	struct rfs_observation *observations;
	size_t n;
	struct rfs_test_outcome observed;  /* a value for each observation */
	struct rfs_test_outcome *possible; /* those of the sequential orders, each one once */
	size_t n_possible;
};

void rfs_wrong_result_make(const struct rfs_sequence *test, const struct rfs_library *library,
			   const struct rfs_test_outcomes *possible, const struct rfs_test_outcome *observed,
			   struct rfs_wrong_result *out);
void rfs_wrong_result_release(struct rfs_wrong_result *result);

#endif
