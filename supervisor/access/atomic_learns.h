/*
 * atomic_learns.h - atomic accesses whose order with earlier ones cannot be reversed (RFS_ACCESS_LEARNS).
 *
 * An atomic access that reads a pointer has to come after the one that wrote it. The update that brings a reference
 * count to zero is the last one. A count is a word that no update raises from zero; the thread looks at the result.
 */
#ifndef RFS_ATOMIC_LEARNS_H
#define RFS_ATOMIC_LEARNS_H

#include <stdbool.h>

struct rfs_insn;
struct rfs_part;
struct rfs_run;
struct rfs_thread;

/* The thread is about to execute this part of an instruction, which is atomic; rfs_word_locks_update() was called. */
bool rfs_atomic_learns(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_insn *insn,
		       const struct rfs_part *part);

#endif
