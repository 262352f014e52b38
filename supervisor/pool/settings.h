/* settings.h - what a pool is made with: how a run is made, where its files go, and which events the caller wants.
 */
#ifndef RFS_POOL_SETTINGS_H
#define RFS_POOL_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_execution;
struct rfs_journal;
struct rfs_run_result;
struct rfs_run_spec;
struct rfs_server_ops;

/* The function that makes a run: rfs_run(), rfs_baseline_run(), or a test's replacement. */
typedef int rfs_run_fn(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n);

struct rfs_pool_settings {
	rfs_run_fn *run;
	const struct rfs_server_ops
		*server; /* the fork server (server.h); NULL: start the program for each execution */
	unsigned jobs;
	const char *output;  /* folder for NAME.out and NAME.err; NULL: the target writes where this process writes */
	const char *records; /* folder for NAME.input, the recorded input; NULL: it is not kept */
	struct rfs_journal *journal; /* each result is taken from there if it is there, otherwise added; NULL: none */
	double deadline;	     /* CLOCK_MONOTONIC in seconds; nothing runs after it; 0: none */
	int cancel_fd;		     /* readable: stop (interrupt.h); -1: none */
	/*
	 * Called before each run and before each restart, in the job's process; the spec has the lessons of that run.
	 * If a worker makes the run, prepare() is called in this process: when the run takes longer than most, and
	 * before done() if keeps() says so. Returns 0. On an error, returns -errno and a line in why; the campaign then
	 * ends. NULL: nothing to do.
	 */
	int (*prepare)(void *arg, const struct rfs_execution *execution, char *why, size_t n);
	/* Called right before done(): whether it may return true for this result. NULL: it may for each result. */
	bool (*keeps)(void *arg, const struct rfs_execution *execution, const struct rfs_run_result *result);
	/* Called in this process when an execution is done and has files that are not kept. NULL: nothing to do. */
	void (*discard)(void *arg, const struct rfs_execution *execution);
	void *arg;
};

#endif
