/*
 * quarantine.h - blocks that were freed, but not given back to the allocator, while an order violation with a free is
 * under test.
 *
 * The free that should come last is left out. The block keeps its contents, and no allocation gets its memory, so what
 * happens does not depend on the allocator. A thread that could still be postponed at that time (RFS_AT_HELD) may then
 * execute the statement that should come first, on this block. There it gets the signal of a page fault. This is what
 * would happen if the block had its own pages, and the free had closed them. All other accesses are left alone, so that
 * a program that reads freed memory on purpose fails no more than without a quarantine. System calls do not know of the
 * quarantine either.
 */
#ifndef RFS_QUARANTINE_H
#define RFS_QUARANTINE_H

#include <signal.h>
#include <stdbool.h>

struct rfs_op;
struct rfs_run;
struct rfs_thread;

/* Whether the operation frees a block that goes into quarantine: then the call must be left out. */
bool rfs_quarantine_takes(struct rfs_run *run, const struct rfs_thread *thread, const struct rfs_op *op);
/* Whether the operation accesses a block in quarantine. Then the thread gets a signal before its next instruction. */
bool rfs_quarantine_faults(struct rfs_run *run, const struct rfs_thread *thread, const struct rfs_op *op);
/* Call when a signal is about to be delivered to the thread. Changes *info to that of a page fault, if the signal is
 * that of rfs_quarantine_faults(). */
void rfs_quarantine_signal(struct rfs_run *run, const struct rfs_thread *thread, siginfo_t *info);
void rfs_quarantine_release(struct rfs_run *run);

#endif
