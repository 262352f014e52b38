/*
 * worker.h - a process that makes many executions, one after the other, with a fork server (server.h).
 *
 *     pool                         worker                              target
 *     rfs_worker_start()  fork ->  starts the program up to main  ->   original
 *     rfs_worker_ask()    ----->   copies it, controls the run    ->   copy
 *     reads fd            <-----   the reply, with the output           (gone)
 *     rfs_worker_end()    kill ->  gone                                 gone
 *
 * What the executions have in common is in the pool's memory, which the worker inherits at the fork. What differs goes
 * through a socket. All executions share the descriptors of the original: input that can be rewound, and two files
 * without a name for output. The worker sends the contents of these two files back, so an execution whose files are not
 * kept leaves no file to remove.
 */
#ifndef RFS_WORKER_H
#define RFS_WORKER_H

#include <stdbool.h>
#include <sys/types.h>

struct rfs_execution;
struct rfs_pool_settings;
struct rfs_reply;
struct rfs_worker;

/* True if a worker can make executions with the options of this one. */
bool rfs_worker_possible(const struct rfs_pool_settings *settings, const struct rfs_execution *execution);
/*
 * Starts a worker, to be ended with rfs_worker_end(). execution: the first execution that the worker will make, with
 * its lessons and core. 0 or -errno.
 */
int rfs_worker_start(const struct rfs_pool_settings *settings, const struct rfs_execution *execution,
		     struct rfs_worker **out) __attribute__((warn_unused_result));
/* True if the execution differs from the first one only in name, seed, policy (one that needs the same of the run),
 * policy_options and policy_blob. */
bool rfs_worker_serves(const struct rfs_worker *worker, const struct rfs_execution *execution);
/* Sends the execution to the worker. Read its reply before you send the next one. 0, or -errno: the worker is gone. */
bool rfs_worker_serves(const struct rfs_worker *worker, const struct rfs_execution *execution);
/* Sends the execution to the worker. Read its reply before you send the next one. 0, or -errno: the worker is gone. */
int rfs_worker_ask(struct rfs_worker *worker, const struct rfs_execution *execution)
	__attribute__((warn_unused_result));
pid_t rfs_worker_pid(const struct rfs_worker *worker);
int rfs_worker_fd(const struct rfs_worker *worker); /* replies arrive here; end of file: the worker is gone */
/* Kills the worker and its target, and reaps the worker. NULL: nothing to do. */
void rfs_worker_end(struct rfs_worker *worker);

/* Writes the output that came with a reply to the files of the execution. 0, or -errno and a line in why. */
int rfs_worker_file(const struct rfs_pool_settings *settings, const struct rfs_execution *execution,
		    const struct rfs_reply *reply, char *why, size_t n) __attribute__((warn_unused_result));

#endif
