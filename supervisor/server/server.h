/*
 * server.h - the fork server: starts the target once, up to main, and makes each execution in a copy of it.
 *
 * Linking and setting breakpoints are so done only once. An execution in a copy gives the same result as rfs_run() with
 * the same spec, hash included. There is no fork server for a program that did something before main that a copy would
 * not have: threads, use of its process id, open files, … A server makes one execution at a time, in the process and
 * thread that made the server.
 */
#ifndef RFS_SERVER_H
#define RFS_SERVER_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_run_spec;
struct rfs_run_result;
struct rfs_server;

/* A table, so that tests of the pool (job.h) can replace the server. */
struct rfs_server_ops {
	/*
	 * Starts the program of spec up to main. All of spec except seed, policy_options and policy_blob applies to all
	 * executions, and is borrowed as long as the server lives. The three descriptors are shared by all executions;
	 * the caller resets them between two. No detector, no trace_in or trace_out. 0 and *out (end() frees it); or
	 * -ENOTSUP and the reason in why: this program must be started for each execution; or -errno as rfs_run().
	 */
	int (*start)(const struct rfs_run_spec *spec, struct rfs_server **out, char *why, size_t n);
	/* Like rfs_run(). spec may differ from the server's only in the members named above. -ENOTSUP: this execution
	 * must be started without the server; the server is still usable. */
	int (*run)(struct rfs_server *server, const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why,
		   size_t n);
	/* Kills the processes that it started. NULL: nothing to do. */
	void (*end)(struct rfs_server *server);
};
extern const struct rfs_server_ops rfs_server_ops;

#endif
