/* hint.h - what a policy said of its next choices (struct rfs_choice). */
#ifndef RFS_HINT_H
#define RFS_HINT_H

#include <stdbool.h>
#include <stdint.h>

#include "policy/policy.h"

/* Zeroed memory is no hint. */
struct rfs_hint {
	int thread;
	uint32_t left; /* operations that it still covers */
	bool steady;
};

/* True if this view of the thread shows nothing that ends the hint before its next operation. */
bool rfs_hint_holds(const struct rfs_hint *hint, const struct rfs_thread_view *thread);

#endif
