/*
 * server-priv.h - shared by the parts of the fork server.
 *
 * server.c starts the server and makes one execution. server_copy.c copies the state of a run. server_check.c checks
 * whether copies can replace the program. prologue.c keeps what the policy was told.
 */
#ifndef RFS_SERVER_PRIV_H
#define RFS_SERVER_PRIV_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_run;
struct rfs_stop;
struct rfs_task;

/* Handles a system call of a server or of a copy. True if only servers and copies stop at this call; it is then simply
 * executed. */
bool rfs_server_syscall(struct rfs_run *run, const struct rfs_stop *stop);
/* Call this when the target is stopped at main. 0, or -ENOTSUP and the reason in why. */
int rfs_server_check(const struct rfs_run *run, char *why, size_t n) __attribute__((warn_unused_result));

/* Fills a run that already has a spec, a result, a tracer with one task, and a policy. */
void rfs_run_copy(const struct rfs_run *from, struct rfs_task *task, struct rfs_run *to);

#endif
