/*
 * hold_stacks.h - the stacks with which threads acquired locks that they still hold at the end of a run.
 *
 * A stack for each acquisition would cost too much. So a run only counts when each lock was acquired, and a replay of a
 * deadlock looks at the stacks at these moments (spec->wanted.stacks_at).
 */
#ifndef RFS_HOLD_STACKS_H
#define RFS_HOLD_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rfs_place;
struct rfs_run;

/* Whether the spec asks for the stack of a thread that has just acquired a lock (sync/hold_stack.h). */
bool rfs_hold_stacks_wanted(const struct rfs_run *run);
/* Keeps this stack, and takes it over. */
void rfs_hold_stacks_keep(struct rfs_run *run, struct rfs_place *places, size_t n);
/* How many operations may follow without a stop, so that the next stack is not missed. */
uint64_t rfs_hold_stacks_until_next(const struct rfs_run *run);
/* The stack after `step` operations. The caller frees *out with rfs_places_free(). *n = 0: there is none. */
void rfs_hold_stacks_find(const struct rfs_run *run, uint64_t step, struct rfs_place **out, size_t *n);
void rfs_hold_stacks_close(struct rfs_run *run);

#endif
