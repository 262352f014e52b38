/*
 * job.h - many executions, up to --jobs of them at a time.
 *
 * Each execution is a fork of this (single-threaded) process, which has read the ELF and DWARF of the modules already;
 * it calls the run function on the core of its slot and sends the result back through a pipe (wire.h).
 *
 * What comes out does not depend on the number of jobs: executions are started ahead of time but *committed* in their
 * order. An execution starts with the lessons (lessons.h) known at that moment; where one before it turns out to have
 * learnt more, it has started from too few and is done again at its turn. So every run is a function of the ones before
 * it, as if they were done one after the other.
 */
#ifndef RFS_JOB_H
#define RFS_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/record/run_spec.h"

struct rfs_run_result;

/* rfs_run(), rfs_baseline_run(), or what a test puts in their place. */
typedef int rfs_run_fn(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n);

struct rfs_execution;
struct rfs_lessons;

struct rfs_server_ops;

struct rfs_pool_settings {
	rfs_run_fn *run;
	const struct rfs_server_ops *server; /* server.h; NULL: the program is started anew for each execution */
	unsigned jobs;
	const char *output;  /* folder for NAME.out and NAME.err; NULL: the target writes where we do */
	const char *records; /* folder for NAME.input, what comes from outside; NULL: it is not kept */
	double deadline;     /* of CLOCK_MONOTONIC, seconds, after which nothing runs any more; 0: none */
	int cancel_fd;	     /* readable: stop (interrupt.h); -1: none */
	/* Called before each run (again after a restart), with the lessons it will use, in the job's process, or in
	 * this one where a server makes the run: 0, or -errno and a line in why, which ends the campaign. NULL: nothing
	 * to do. */
	int (*prepare)(void *arg, const struct rfs_execution *execution, char *why, size_t n);
	/* Called in this process when an execution is done with and not kept. NULL: nothing to do. */
	void (*discard)(void *arg, const struct rfs_execution *execution);
	void *arg;
};

struct rfs_pool;

/* Borrows what settings points to. *out: rfs_pool_free(). 0 or -errno. */
int rfs_pool_new(const struct rfs_pool_settings *settings, struct rfs_pool **out) __attribute__((warn_unused_result));
/* Nothing that was started here survives. */
void rfs_pool_free(struct rfs_pool *pool);

struct rfs_batch {
	uint64_t n;
	rfs_run_fn *run; /* instead of the pool's; NULL: the pool's */
	bool lasting;	 /* the server that it starts, if any, is there for what comes after it: rfs_pool_rest() */
	bool one_by_one; /* each is made only when the one before is done with (policies that learn; plain runs) */
	/* Fills *out (all zero before) for execution i. May be called more than once for the same i. */
	void (*make)(void *arg, uint64_t i, struct rfs_execution *out);
	/*
	 * Called once for each i, ascending. result may be changed and emptied by the callee (moved out and zeroed).
	 * True to keep the files of the execution. Not called for executions that were cancelled.
	 */
	bool (*done)(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result);
	void *arg;
};

enum rfs_pool_end {
	RFS_POOL_DONE,
	RFS_POOL_INTERRUPTED, /* cancel_fd */
	RFS_POOL_BUDGET,      /* deadline */
	RFS_POOL_FAILED,      /* an execution could not be started: a line in why */
};

/*
 * Runs the batch. Whatever the end, done() was called for a prefix of the executions and no job is left running. A job
 * that dies or does not answer counts as an uncontrolled run with a message. RFS_END_RESTART and RFS_END_CANCELLED
 * never reach done().
 */
enum rfs_pool_end rfs_pool_run(struct rfs_pool *pool, const struct rfs_batch *batch, char *why, size_t n)
	__attribute__((warn_unused_result));

/* The same for one execution. result is the caller's (rfs_run_result_release()) where the end is RFS_POOL_DONE; the
 * lessons that it ended up with are added to used (NULL: not asked for). Its files are kept or not. */
enum rfs_pool_end rfs_pool_run_one(struct rfs_pool *pool, const struct rfs_execution *execution, bool keep,
				   struct rfs_run_result *result, struct rfs_lessons *used, char *why, size_t n)
	__attribute__((warn_unused_result));

/* Removes the files of an execution that was kept, and calls settings->discard for it. */
void rfs_pool_discard(struct rfs_pool *pool, const struct rfs_execution *execution);

/* Ends the servers: no execution like those of the last batches is to come. */
void rfs_pool_rest(struct rfs_pool *pool);
/* How many executions a server made; and why there is none any more, NULL where there may be. */
uint64_t rfs_pool_served(const struct rfs_pool *pool);
const char *rfs_pool_unserved(const struct rfs_pool *pool);

/* The spin sites found so far. Borrowed until the next call. */
const struct rfs_site_set *rfs_pool_spin(const struct rfs_pool *pool);
/* How often an execution was done again because of what it learnt. */
uint64_t rfs_pool_restarts(const struct rfs_pool *pool);

#endif
