/*
 * job.h - makes many executions, up to --jobs of them at a time.
 *
 * Each execution is a fork of this (single-threaded) process, which has already read the ELF and DWARF data of the
 * modules. The fork calls the run function on the core of its slot, and sends the result back through a pipe (wire.h).
 *
 * The results do not depend on the number of jobs: executions are started ahead of time, but *committed* in order. An
 * execution starts with the lessons (lessons.h) known at that moment. If an earlier execution then learns more, this
 * one started with too few lessons and is made again at its turn. So every run depends only on the runs before it, as
 * if they were made one after the other.
 */
#ifndef RFS_JOB_H
#define RFS_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/record/run_spec.h"

struct rfs_run_result;

/* rfs_run(), rfs_baseline_run(), or a test's replacement. */
typedef int rfs_run_fn(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n);

struct rfs_execution;
struct rfs_journal;
struct rfs_lessons;

struct rfs_server_ops;

struct rfs_pool_settings {
	rfs_run_fn *run;
	const struct rfs_server_ops *server; /* server.h; NULL: start the program for each execution */
	unsigned jobs;
	const char *output;  /* folder for NAME.out and NAME.err; NULL: the target writes where this process writes */
	const char *records; /* folder for NAME.input, the recorded input; NULL: it is not kept */
	struct rfs_journal *journal; /* each result is taken from there if it is there, otherwise added; NULL: none */
	double deadline;	     /* CLOCK_MONOTONIC in seconds; nothing runs after it; 0: none */
	int cancel_fd;		     /* readable: stop (interrupt.h); -1: none */
	/*
	 * Called before each run, also after a restart, with the lessons of that run. Called in the job's process; if a
	 * server makes the run, in this process. 0, or -errno and a line in why, which ends the campaign. NULL: nothing
	 * to do.
	 */
	int (*prepare)(void *arg, const struct rfs_execution *execution, char *why, size_t n);
	/* Called in this process when an execution is done and its files are not kept. NULL: nothing to do. */
	void (*discard)(void *arg, const struct rfs_execution *execution);
	void *arg;
};

struct rfs_pool;

/* settings and what they point to are borrowed. *out: rfs_pool_free(). 0 or -errno. */
int rfs_pool_new(const struct rfs_pool_settings *settings, struct rfs_pool **out) __attribute__((warn_unused_result));
/* Ends every process that the pool started. */
void rfs_pool_free(struct rfs_pool *pool);

struct rfs_batch {
	uint64_t n;
	rfs_run_fn *run;    /* replaces the pool's function; NULL: use the pool's */
	bool lasting;	    /* keep the server of this batch for later batches, until rfs_pool_rest() */
	double deadline;    /* ends this batch only, like that of the pool; 0: none */
	const bool *enough; /* done() sets it: no later execution is committed; NULL: all are made */
	bool one_by_one;    /* start each only when the one before is done (policies that learn; baseline runs) */
	/* Fills *out (all zero before the call) for execution i. May be called more than once for the same i. */
	void (*make)(void *arg, uint64_t i, struct rfs_execution *out);
	/* Called once for each i, ascending. The callee may change result, and empty it: move members out and zero
	 * them. Returns true to keep the files of the execution. Not called for cancelled executions. */
	bool (*done)(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result);
	void *arg;
};

enum rfs_pool_end {
	RFS_POOL_DONE,
	RFS_POOL_INTERRUPTED, /* cancel_fd became readable */
	RFS_POOL_BUDGET,      /* a deadline was reached */
	RFS_POOL_ENOUGH,      /* *batch->enough was set */
	RFS_POOL_FAILED,      /* an execution could not be started; why has a line */
};

/*
 * Runs the batch. However it ends, done() was called for a prefix of the executions, and no job is running. If a job
 * dies or does not answer, its run counts as uncontrolled, with a message. RFS_END_RESTART and RFS_END_CANCELLED never
 * reach done().
 */
enum rfs_pool_end rfs_pool_run(struct rfs_pool *pool, const struct rfs_batch *batch, char *why, size_t n)
	__attribute__((warn_unused_result));

/* The same for one execution. If the end is RFS_POOL_DONE, the caller owns result (rfs_run_result_release()). The
 * lessons of the final run are added to used, if used is not NULL. keep: keep its files. */
enum rfs_pool_end rfs_pool_run_one(struct rfs_pool *pool, const struct rfs_execution *execution, bool keep,
				   struct rfs_run_result *result, struct rfs_lessons *used, char *why, size_t n)
	__attribute__((warn_unused_result));

/* Removes the files of an execution that were kept, and calls settings->discard for it. */
void rfs_pool_discard(struct rfs_pool *pool, const struct rfs_execution *execution);

/* Ends the workers and their fork servers: the next executions will differ from those of the last batches. */
void rfs_pool_rest(struct rfs_pool *pool);
/* How many executions were made with a fork server. The other function: why no server is used any more, NULL if one may
 * be. */
uint64_t rfs_pool_served(const struct rfs_pool *pool);
const char *rfs_pool_unserved(const struct rfs_pool *pool);

/* The spin sites found so far. Borrowed until the next call. */
const struct rfs_site_set *rfs_pool_spin(const struct rfs_pool *pool);
/* How often an execution was made again because of what it learnt. */
uint64_t rfs_pool_restarts(const struct rfs_pool *pool);

#endif
