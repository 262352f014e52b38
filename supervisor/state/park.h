/* park.h - parks threads at operations, until the policy picks them. */
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
 * Parks the thread at op. It stays until ready() says that op can be executed and the policy picks the thread; go()
 * then executes op. If the wait closes a cycle, the run ends. Returns RFS_THEN_PARKED.
 */
enum rfs_then rfs_park(struct rfs_run *run, struct rfs_thread *thread, struct rfs_op op, rfs_ready_fn ready,
		       rfs_go_fn go);
/* The same for an operation that can be executed once this wait is over. */
enum rfs_then rfs_park_until(struct rfs_run *run, struct rfs_thread *thread, struct rfs_op op, struct rfs_wait wait,
			     rfs_go_fn go);
/* The same for a thread that left the kernel at a time of its choosing: it waits for its turn. */
enum rfs_then rfs_park_for_turn(struct rfs_run *run, struct rfs_thread *thread);
/* Makes the system call that the thread is in return this result, without the kernel. Returns RFS_THEN_EXECUTE. */
enum rfs_then rfs_syscall_answer(struct rfs_thread *thread, long result);
/* A ready() for operations that can always be executed. */
unsigned rfs_ready_always(struct rfs_run *run, struct rfs_thread *thread);
/* A go() that executes the operation by resuming the thread. */
enum rfs_then rfs_go_on(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice);
/* An operation without a peer. */
struct rfs_op rfs_op_make(enum rfs_op_kind kind, rfs_site site, rfs_addr object);

#endif
