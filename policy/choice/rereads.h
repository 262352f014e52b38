/*
 * rereads.h - finds threads that are about to access a place again that they have accessed at the pair under test.
 *
 * A thread that writes a variable and reads it back fails if another thread writes in between. Two threads that are
 * both parked at the write cannot show that: the second one has already read the old value.
 */
#ifndef RFS_REREADS_H
#define RFS_REREADS_H

#include <stdbool.h>
#include <stddef.h>

#include "policy/operations.h"

struct rfs_thread_view;

/* The last accesses at the pair. More of them are hardly needed, because a thread accesses a place again soon. */
#define RFS_REREADS_KEPT 32

/* Zeroed memory: nothing was accessed yet. */
struct rfs_rereads {
	struct {
		int thread;
		rfs_addr address;
		uint64_t size; /* 0: empty */
	} kept[RFS_REREADS_KEPT];
	size_t next;
};

/* Notes an operation that the thread has executed. */
void rfs_rereads_note(struct rfs_rereads *rereads, int thread, const struct rfs_op *op);

/* Whether the thread, which is at a statement of the pair, has accessed this place at the pair before. */
bool rfs_rereads_is_back(const struct rfs_rereads *rereads, const struct rfs_thread_view *thread);

#endif
