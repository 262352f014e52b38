/*
 * server-priv.h - shared by the parts of the fork server.
 *
 * server.c starts the server and makes one execution. server_copy.c copies the state of a run. server_check.c checks
 * whether a copy can be used in place of a newly started program. prologue.c keeps the views and events that the policy
 * got before main.
 */
#ifndef RFS_SERVER_PRIV_H
#define RFS_SERVER_PRIV_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_run;
struct rfs_stop;
struct rfs_task;

/*
 * Handles a system call of the original or of a copy. True if other runs do not stop at this call; the call is then
 * executed without further handling.
 */
bool rfs_server_syscall(struct rfs_run *run, const struct rfs_stop *stop);
/* Call this when the target is stopped at main. 0, or -ENOTSUP and the reason in why. */
int rfs_server_check(const struct rfs_run *run, char *why, size_t n) __attribute__((warn_unused_result));

/*
 * Copies the state of the run `from`, which is stopped at main. `to` already has a spec, a result, a policy, and a
 * tracer whose only task is `task`.
 */
void rfs_run_copy(const struct rfs_run *from, struct rfs_task *task, struct rfs_run *to);

#endif
