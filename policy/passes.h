/*
 * passes.h - a detector that works in two passes. Both passes are executions of one run, with the same events. The
 * first pass reports nothing and finds where races are. The second one looks there only, and reports what the detector
 * itself reports in one execution.
 */
#ifndef RFS_PASSES_H
#define RFS_PASSES_H

#include "policy/policy.h"

struct rfs_detector_passes {
	const struct rfs_detector_ops *first, *second; /* the first one has these passes too */
	/*
	 * What the second pass gets in args->blob. state: of the first pass. Caller frees out->data, which is NULL if
	 * there is no race; then no second pass is needed.
	 */
	void (*save)(void *state, struct rfs_blob *out);
};

#endif
