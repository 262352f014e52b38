/*
 * server-priv.h - the fork server in its parts: server.c (start, one execution), server_copy.c (the state of a run,
 * copied), server_check.c (whether copies can stand for the program), prologue.c (what the policy was told).
 */
#ifndef RFS_SERVER_PRIV_H
#define RFS_SERVER_PRIV_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_run;
struct rfs_stop;
struct rfs_task;

/* At a system call of a server, or of a copy. True if only they stop at it: it is simply executed. */
bool rfs_server_syscall(struct rfs_run *run, const struct rfs_stop *stop);
/* It stands at main. 0, or -ENOTSUP and the reason in why. */
int rfs_server_check(const struct rfs_run *run, char *why, size_t n) __attribute__((warn_unused_result));

/* Fills a run that has a spec, a result, a tracer with its one task, and a policy. */
void rfs_run_copy(const struct rfs_run *from, struct rfs_task *task, struct rfs_run *to);

#endif
