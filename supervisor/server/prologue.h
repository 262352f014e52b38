/*
 * prologue.h - what a policy is told before main begins, kept to tell it to another one.
 *
 * There is one thread then, so that there is nothing to choose: a policy that is shown the same views and events comes
 * to the same state as in a run of its own. One that wants more of a view than is kept, or picks something else, is
 * found out.
 */
#ifndef RFS_PROLOGUE_H
#define RFS_PROLOGUE_H

#include <stdbool.h>

struct rfs_hint;
struct rfs_prologue;

/* A policy that takes what there is to take and keeps what it sees; its state is the struct rfs_prologue. flags: those
 * of the policy that it stands in for. */
struct rfs_policy_ops rfs_prologue_policy(unsigned flags);
/* False where more happened than can be told again. */
bool rfs_prologue_complete(const struct rfs_prologue *prologue);
/* Tells it all to a policy that was just made. False where that policy would not have gone the same way. *hint: what is
 * left of the one that it gave last. */
bool rfs_prologue_tell(const struct rfs_prologue *prologue, const struct rfs_policy_ops *policy, void *state,
		       struct rfs_hint *hint);

#endif
