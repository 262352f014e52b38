/*
 * server.h - the fork server: the target is started, linked and given its breakpoints once, up to main, and each
 * execution is a copy that goes on from there.
 *
 * An execution made so is the one that rfs_run() makes of the same spec: same result, hash included. Where the program
 * did something before main that a copy would not have (threads, its process id, open files, …) there is no server for
 * it. A server serves one execution at a time, in the process and thread that made it.
 */
#ifndef RFS_SERVER_H
#define RFS_SERVER_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_run_spec;
struct rfs_run_result;
struct rfs_server;

/* A table, so that tests of the pool (job.h) can put something else in its place. */
struct rfs_server_ops {
	/*
	 * Starts the program of spec up to main. All of spec but seed, policy_options and policy_blob holds for all
	 * executions and is borrowed as long as the server lives; its three descriptors are those of every execution,
	 * and it is the caller's job to put them back in order between two. No detector, no trace_in or trace_out. 0
	 * and *out (end() frees it); -ENOTSUP and the reason in why: this program has to be started for each execution;
	 * else -errno as rfs_run().
	 */
	int (*start)(const struct rfs_run_spec *spec, struct rfs_server **out, char *why, size_t n);
	/* Like rfs_run(), with a spec that differs from the server's in nothing but what the above says. -ENOTSUP: this
	 * one execution has to be started by itself, the server is as good as before. */
	int (*run)(struct rfs_server *server, const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why,
		   size_t n);
	/* Kills what it started. NULL: nothing to do. */
	void (*end)(struct rfs_server *server);
};
extern const struct rfs_server_ops rfs_server_ops;

#endif
