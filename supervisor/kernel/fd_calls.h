/*
 * fd_calls.h - which system calls use a descriptor, and which close it: to predict that a thread uses one after
 * another thread has closed it (policy/detect/fd_lifetimes.h), and to create this order.
 *
 * Only runs that predict violations, and runs with such a violation under test, know of these calls. The filter stops
 * the target at more calls then (RFS_SYSCALL_FOLLOWED). In a run that predicts, no call becomes an operation because of
 * that. In a run with a violation under test, the calls at its two places are operations, even if they cannot wait.
 *
 * The place of a call is its innermost return address in watched code (call_place.h).
 */
#ifndef RFS_FD_CALLS_H
#define RFS_FD_CALLS_H

#include <stdbool.h>

struct rfs_call_place;
struct rfs_op;
struct rfs_run;
struct rfs_run_spec;
struct rfs_syscall;
struct rfs_thread;

/* Whether the target must stop at the calls of RFS_SYSCALL_FOLLOWED. */
bool rfs_fd_calls_followed(const struct rfs_run_spec *spec);
/* The thread is at the entry of a call with this row. Tells the prediction which descriptors the call uses or closes.
 */
void rfs_fd_calls_note(struct rfs_run *run, const struct rfs_thread *thread, const struct rfs_syscall *row,
		       const unsigned long *args, struct rfs_call_place *place);
/* Whether the call is one of the two operations of the violation under test. If so, sets the members of *op that say
 * which one, and the descriptor. */
bool rfs_fd_calls_tested(struct rfs_run *run, const struct rfs_thread *thread, const struct rfs_syscall *row,
			 const unsigned long *args, struct rfs_call_place *place, struct rfs_op *op);

#endif
