#ifndef RFS_PARK_H
#define RFS_PARK_H

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/model/sync.h"
#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_op;
struct rfs_choice;

/*
 * The thread is parked before op: until ready() says that op can be executed and the policy picks the thread, for which
 * go() executes it. A wait that closes a cycle ends the run. RFS_THEN_PARKED.
 */
enum rfs_then rfs_park(struct rfs_run *run, struct rfs_thread *thread, struct rfs_op op, rfs_ready_fn ready,
		       rfs_go_fn go);
/* The same for an operation that can be executed once the wait is over. */
enum rfs_then rfs_park_until(struct rfs_run *run, struct rfs_thread *thread, struct rfs_op op, struct rfs_wait wait,
			     rfs_go_fn go);
/* The same for a thread that has come out of the kernel unasked: it waits for its turn. */
enum rfs_then rfs_park_for_turn(struct rfs_run *run, struct rfs_thread *thread);
/* The system call that the thread stands in comes back with this result, without the kernel. RFS_THEN_EXECUTE. */
enum rfs_then rfs_syscall_answer(struct rfs_thread *thread, long result);
unsigned rfs_ready_always(struct rfs_run *run, struct rfs_thread *thread);
/* Executes the operation by letting the thread run on. */
enum rfs_then rfs_go_on(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice);
struct rfs_op rfs_op_make(enum rfs_op_kind kind, rfs_site site, rfs_addr object);

#endif
