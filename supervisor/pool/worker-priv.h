/* worker-priv.h - the two sides of a worker: worker.c is the pool's, worker_process.c runs in the worker. */
#ifndef RFS_WORKER_PRIV_H
#define RFS_WORKER_PRIV_H

#include <sys/types.h>

struct rfs_execution;
struct rfs_pool_settings;

/* Output that goes back through the pipe; more is written to the execution's files at once. */
#define RFS_OUTPUT_SENT 65536

/* The forked process: reads requests from fd, writes replies to it, ends when it does. */
void rfs_worker_process(const struct rfs_pool_settings *settings, struct rfs_execution *execution, pid_t parent, int fd)
	__attribute__((noreturn));

#endif
