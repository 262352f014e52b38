/*
 * thread_end.h - the operation with which a thread ends. Besides its life, its stack ends, if a proof or an order
 * violation under test needs to know, and a robust mutex that it holds goes to the next owner.
 */
#ifndef RFS_THREAD_END_H
#define RFS_THREAD_END_H

#include "policy/policy.h"

struct rfs_run;
struct rfs_thread;

/* The operation at the place in thread->next. Sets shares_calls of the result if it has no place for all of this. */
struct rfs_op rfs_thread_end(struct rfs_run *run, const struct rfs_thread *thread);

#endif
