/*
 * leave_pair.h - turns in which threads leave the statements of a pair: each executes its accesses there until its next
 * operation is another one. racefuzzer uses it after the last race of a run (option last), schedule after its race.
 */
#ifndef RFS_POLICY_LEAVE_PAIR_H
#define RFS_POLICY_LEAVE_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/policy.h"

/* Zeroed memory is an empty list. rfs_leave_pair_release() frees the memory inside. */
struct rfs_leave_pair {
	struct rfs_leave_pair_turn *turns;
	size_t n, next, capacity;
	uint64_t stayed;
};

/* Whether the thread is parked before an access at a statement of the pair. */
bool rfs_is_at_statement(const struct rfs_thread_view *thread);
/* Adds a turn: the thread executes at most this many operations. */
void rfs_leave_pair_add(struct rfs_leave_pair *list, int thread, uint64_t most);
/*
 * The thread whose turn it is, if it is at a statement and can run. After all turns, it is the current thread: no other
 * thread is chosen while it is at a statement, at most `most` times in a row, because it may wait there for another
 * thread. NULL: neither.
 */
const struct rfs_thread_view *rfs_leave_pair_next(struct rfs_leave_pair *list, const struct rfs_view *view, int current,
						  uint64_t most);
void rfs_leave_pair_release(struct rfs_leave_pair *list);

#endif
