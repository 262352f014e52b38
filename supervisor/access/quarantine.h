/*
 * quarantine.h - memory and objects whose life has ended, while an order violation with their end is under test.
 *
 * Blocks. The free that should come last is left out. The block keeps its contents, and no allocation gets its memory,
 * so what happens does not depend on the allocator. A thread that could still be postponed at that time (RFS_AT_HELD)
 * may then execute the statement that should come first, on this block. There it gets the signal of a page fault. This
 * is what would happen if the block had its own pages, and the free had closed them. All other accesses are left alone,
 * so that a program that reads freed memory on purpose fails no more than without a quarantine. System calls do not
 * know of the quarantine either.
 *
 * The first statement may also be a call that uses a lock, a condition variable, a semaphore or a barrier in the block.
 * The thread then gets the signal at the entry of the function.
 *
 * Destroyed objects. The same happens if the thread was postponed at such a call, and the object was destroyed. What
 * the C library does then differs from object to object and from version to version: most calls do as if nothing were
 * wrong. A call that failed (EBUSY) has not destroyed the object. An object that was initialised again may be used.
 *
 * Stacks. The stack of a thread that has ended is like a freed block, until a new thread gets it or it is unmapped. The
 * C library keeps its pages, so without this an access would read what the thread left there. If a thread was postponed
 * at an access, only this access fails.
 */
#ifndef RFS_QUARANTINE_H
#define RFS_QUARANTINE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "disasm/addr.h"

struct rfs_choice;
struct rfs_op;
struct rfs_run;
struct rfs_thread;

/* Whether the operation frees a block that goes into quarantine: then the call must be left out. */
bool rfs_quarantine_takes(struct rfs_run *run, const struct rfs_thread *thread, const struct rfs_op *op);
/* Whether the operation accesses a block in quarantine. Then the thread gets a signal before its next instruction. */
bool rfs_quarantine_faults(struct rfs_run *run, const struct rfs_thread *thread, const struct rfs_op *op);
/* Call when a signal is about to be delivered to the thread. Changes *info to that of a page fault, if the signal is
 * that of rfs_quarantine_faults(). A page fault at a block of the guard heap is noted. */
void rfs_quarantine_signal(struct rfs_run *run, const struct rfs_thread *thread, siginfo_t *info);
/*
 * The thread executes the operation at which it is parked. True if it is a call on an object in quarantine: then the
 * operation is done, and the thread gets a signal before its next instruction.
 */
bool rfs_quarantine_call(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice);
/* The thread is at the entry of a function that destroys the object (size: of what the function may change) or
 * initialises it. */
void rfs_quarantine_destroys(struct rfs_run *run, struct rfs_thread *thread, rfs_addr object, size_t size);
void rfs_quarantine_init(struct rfs_run *run, rfs_addr object);
/* The thread executes its last operation. Its stack may go into quarantine. */
void rfs_quarantine_exit(struct rfs_run *run, const struct rfs_thread *thread);
/* The memory has another use from now on, or none: a new thread gets it as its stack, or it is unmapped. */
void rfs_quarantine_renew(struct rfs_run *run, rfs_addr address, uint64_t size);
void rfs_quarantine_release(struct rfs_run *run);

#endif
