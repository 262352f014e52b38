/*
 * worker.h - a process that makes many executions, one after the other, with a fork server (server.h).
 *
 *     pool                         worker                              target
 *     rfs_worker_start()  fork ->  starts the program up to main  ->   original
 *     rfs_worker_ask()    ----->   copies it, controls the run    ->   copy
 *     reads fd            <-----   the reply, with the output           (gone)
 *     rfs_worker_end()    kill ->  gone                                 gone
 *
 * What executions have in common the worker knows from the pool's memory, as it was when it was forked; the rest goes
 * through a pipe. Executions share the descriptors of the original: input that can be wound back, and two files
 * without a name whose contents are sent back, so that an execution that is not kept leaves no file to remove.
 */
#ifndef RFS_WORKER_H
#define RFS_WORKER_H

#include <stdbool.h>
#include <sys/types.h>

struct rfs_execution;
struct rfs_pool_settings;
struct rfs_reply;
struct rfs_worker;

/* True where executions of this kind can be made by a worker at all. */
bool rfs_worker_possible(const struct rfs_pool_settings *settings, const struct rfs_execution *execution);
/* execution, its lessons and its core set: the first of those that it will serve. *out: rfs_worker_end(). 0 or
 * -errno. */
int rfs_worker_start(const struct rfs_pool_settings *settings, const struct rfs_execution *execution,
		     struct rfs_worker **out) __attribute__((warn_unused_result));
/* True where the execution differs from the first in nothing but name, seed, policy_options and policy_blob. */
bool rfs_worker_serves(const struct rfs_worker *worker, const struct rfs_execution *execution);
/* Sends it. One at a time: the reply comes before the next. 0, or -errno: the worker is gone. */
int rfs_worker_ask(struct rfs_worker *worker, const struct rfs_execution *execution)
	__attribute__((warn_unused_result));
pid_t rfs_worker_pid(const struct rfs_worker *worker);
int rfs_worker_fd(const struct rfs_worker *worker); /* replies come here; end of file: it is gone */
/* Kills it and its target, takes its end. NULL: nothing to do. */
void rfs_worker_end(struct rfs_worker *worker);

/* Writes the output that came with a reply to the files of the execution. 0, or -errno and a line in why. */
int rfs_worker_file(const struct rfs_pool_settings *settings, const struct rfs_execution *execution,
		    const struct rfs_reply *reply, char *why, size_t n) __attribute__((warn_unused_result));

#endif
