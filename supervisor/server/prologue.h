/*
 * prologue.h - keeps the views and events that a policy gets before main, and gives them to the policy of each copy.
 *
 * Before main there is only one thread, and nothing to choose. A policy that gets these views and events reaches the
 * same state as in a run from the start of the program. rfs_prologue_tell() detects a policy that reads more of a view
 * than was kept, or that makes another choice.
 */
#ifndef RFS_PROLOGUE_H
#define RFS_PROLOGUE_H

#include <stdbool.h>

struct rfs_hint;
struct rfs_prologue;

/*
 * A policy that always makes the only possible choice, and keeps all views and events that it gets. Its state is a
 * struct rfs_prologue. flags: the flags of the policy that it replaces.
 */
struct rfs_policy_ops rfs_prologue_policy(unsigned flags);
/* False if more happened before main than can be repeated: too many events, or a second thread. */
bool rfs_prologue_complete(const struct rfs_prologue *prologue);
/*
 * Gives all kept views and events to a new policy, whose state is `state`. False if that policy makes another choice or
 * needs more than was kept. *hint is set to what is left of that policy's last hint.
 */
bool rfs_prologue_tell(const struct rfs_prologue *prologue, const struct rfs_policy_ops *policy, void *state,
		       struct rfs_hint *hint);

#endif
