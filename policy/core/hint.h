/* hint.h - what a policy said of its next choices (struct rfs_choice). */
#ifndef RFS_HINT_H
#define RFS_HINT_H

#include <stdbool.h>
#include <stdint.h>

#include "policy/policy.h"

/* Zeroed: there is none. */
struct rfs_hint {
	int thread;
	uint32_t left; /* operations that it goes on for */
	bool steady;
};

/* The thread, before its next operation, can simply go on as the hint has it, as far as this view of it tells. */
bool rfs_hint_holds(const struct rfs_hint *hint, const struct rfs_thread_view *thread);

#endif
