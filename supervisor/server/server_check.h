#ifndef RFS_SERVER_CHECK_H
#define RFS_SERVER_CHECK_H

#include <stdbool.h>

struct rfs_run;
struct rfs_stop;

/* server_check.c: at a system call of a server, or of a copy. True where only they stop at it: it just runs. */
bool rfs_server_syscall(struct rfs_run *run, const struct rfs_stop *stop);

#endif
