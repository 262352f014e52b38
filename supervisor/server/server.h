/*
 * server.h - the fork server: runs the target once up to main, and makes each execution in a copy of that process.
 *
 * This way, linking and setting breakpoints are done only once. An execution in a copy gives the same result as
 * rfs_run() with the same spec, hash included. A program cannot have a fork server if its copies would lack something
 * that it did before main, such as starting threads or opening files. A server makes one execution at a time, in the
 * process and thread that made the server.
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
	 * Starts the program of spec and runs it up to main. All of spec except seed, policy_options and policy_blob
	 * applies to all executions, and is borrowed as long as the server lives. The spec must have no detector,
	 * trace_in or trace_out. All executions share the descriptors fd_in, fd_out and fd_err; the caller resets
	 * them before each execution.
	 *
	 * Returns 0 and *out, which end() frees. Returns -ENOTSUP and the reason in why if the program cannot have a
	 * fork server. Otherwise returns -errno like rfs_run().
	 */
	int (*start)(const struct rfs_run_spec *spec, struct rfs_server **out, char *why, size_t n);
	/*
	 * Like rfs_run(). spec may differ from the server's spec only in the members that start() names. Returns
	 * -ENOTSUP if this execution cannot be made in a copy; the server is still usable.
	 */
	int (*run)(struct rfs_server *server, const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why,
		   size_t n);
	/* Kills the processes that the server started, and frees the server. server may be NULL. */
	void (*end)(struct rfs_server *server);
};
extern const struct rfs_server_ops rfs_server_ops;

#endif
