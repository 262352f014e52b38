/*
 * worker-priv.h - shared by the two sides of a worker: worker.c runs in the pool's process, worker_process.c in the
 * worker.
 */
#ifndef RFS_WORKER_PRIV_H
#define RFS_WORKER_PRIV_H

#include <sys/types.h>

struct rfs_execution;
struct rfs_pool_settings;

/*
 * Output of up to this many bytes goes back through the socket. Longer output is written to the execution's files
 * directly.
 */
#define RFS_OUTPUT_SENT 65536

/* The forked process: reads requests from fd, writes replies to fd, and ends when fd is closed. */
void rfs_worker_process(const struct rfs_pool_settings *settings, struct rfs_execution *execution, pid_t parent, int fd)
	__attribute__((noreturn));

#endif
