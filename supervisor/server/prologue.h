/*
 * prologue.h - keeps what a policy was told before main, to tell it again to the policy of each copy.
 *
 * Before main there is only one thread, and nothing to choose. A policy that gets the same views and events reaches the
 * same state as in a normal run. If a policy reads more of a view than was kept, or chooses something else, this is
 * detected.
 */
#ifndef RFS_PROLOGUE_H
#define RFS_PROLOGUE_H

#include <stdbool.h>

struct rfs_hint;
struct rfs_prologue;

/* A policy that always makes the only possible choice, and keeps what it is told; its state is the struct rfs_prologue.
 * flags: of the policy that it replaces. */
struct rfs_policy_ops rfs_prologue_policy(unsigned flags);
/* False if more happened than can be told again. */
bool rfs_prologue_complete(const struct rfs_prologue *prologue);
/* Tells everything to a newly made policy. False if that policy would have chosen otherwise. *hint: what is left of its
 * last hint. */
bool rfs_prologue_tell(const struct rfs_prologue *prologue, const struct rfs_policy_ops *policy, void *state,
		       struct rfs_hint *hint);

#endif
