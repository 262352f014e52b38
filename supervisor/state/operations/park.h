/* park.h - parks threads at operations, until the policy picks them. */
#ifndef RFS_PARK_H
#define RFS_PARK_H

#include "disasm/addr.h"
#include "policy/operations.h"
#include "supervisor/model/sync.h"
#include "supervisor/state/core/operation.h"
#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_op;
struct rfs_choice;

/*
 * Parks the thread at op. Before each choice, ready() says whether op can be executed. If the policy picks the thread,
 * go() executes op. If the thread has to wait, and its wait closes a cycle in the wait-for graph, the run ends as a
 * deadlock. Returns RFS_THEN_PARKED.
 */
enum rfs_then rfs_park(struct rfs_run *run, struct rfs_thread *thread, struct rfs_op op, rfs_ready_fn ready,
		       rfs_go_fn go);
/*
 * Parks the thread at an operation that may have to wait, as rfs_park() does. There is no ready(); the model
 * (rfs_wait_look()) says when the wait is over.
 */
enum rfs_then rfs_park_until(struct rfs_run *run, struct rfs_thread *thread, struct rfs_op op, struct rfs_wait wait,
			     rfs_go_fn go);
/* Parks a thread that returned from the kernel while another thread runs. It continues when the policy picks it. */
enum rfs_then rfs_park_for_turn(struct rfs_run *run, struct rfs_thread *thread);
/*
 * Sets the result of the thread's current system call, so that the kernel does not execute the call. Returns
 * RFS_THEN_EXECUTE.
 */
enum rfs_then rfs_syscall_answer(struct rfs_thread *thread, long result);
/* A go() that executes the operation by resuming the thread. */
enum rfs_then rfs_go_on(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice);

#endif
