/* hint.h - the part of a policy's hint (struct rfs_choice) that is still to be used. */
#ifndef RFS_HINT_H
#define RFS_HINT_H

#include <stdbool.h>
#include <stdint.h>

struct rfs_thread_view;

/* The current hint. If all bytes are zero, there is none. */
struct rfs_hint {
	int thread;
	uint32_t left; /* how many more operations the hint covers */
	bool steady;
};

/*
 * False if this state of the hinted thread ends the hint (rules: struct rfs_choice in policy.h). waited: whether a
 * thread waits for a signal of a condition variable. If none does, a signal needs no choice of a waiter.
 */
bool rfs_hint_holds(const struct rfs_hint *hint, const struct rfs_thread_view *thread, bool waited);

#endif
