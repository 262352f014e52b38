/*
 * thread_stacks.h - accesses of one thread to another thread's stack, and the end of this thread. One run predicts that
 * the end may come first (policy/detect/stack_lifetimes.h), and others create this order.
 *
 * Only stacks count that the C library has made: on others, and around them, there may be memory that remains in use
 * after the end of the thread. The first thread's stack remains, too.
 *
 * The end of a thread is named by its start routine: the place of the operation is the routine's address plus 1, as if
 * it were the return address of a call.
 */
#ifndef RFS_THREAD_STACKS_H
#define RFS_THREAD_STACKS_H

#include <stdbool.h>

#include "disasm/addr.h"

struct rfs_op;
struct rfs_run;
struct rfs_thread;

/* Tells the prediction that the thread begins, if there is a prediction. */
void rfs_thread_stack_begins(struct rfs_run *run, const struct rfs_thread *thread);
/* Makes the operation, with which the thread ends, one on its stack. A violation with stacks must be under test. */
void rfs_thread_stack_leaves(const struct rfs_run *run, const struct rfs_thread *thread, struct rfs_op *op);
/* Whether the address is on the stack of another thread that has not ended. */
bool rfs_thread_stack_of_another(const struct rfs_run *run, const struct rfs_thread *thread, rfs_addr address);

#endif
