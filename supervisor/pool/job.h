/*
 * job.h - makes many executions, up to --jobs of them at a time.
 *
 * Each execution is a fork of this (single-threaded) process, which has already read the ELF and DWARF data of the
 * modules. The forked process calls the run function on the core of its slot, and sends the result back through a pipe
 * (wire.h).
 *
 * The results do not depend on the number of jobs: executions are started ahead of time, but committed in the order of
 * the batch, which means that done() gets their results in this order. An execution starts with the lessons (lessons.h)
 * that are known at that moment. If an earlier execution of the batch then finds more lessons, the later one started
 * with too few lessons, and is made again at its turn. So every run depends only on the runs before it, as if all runs
 * were made one after the other.
 */
#ifndef RFS_JOB_H
#define RFS_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/pool/settings.h"
#include "supervisor/record/run_spec.h"

struct rfs_run_result;
struct rfs_execution;
struct rfs_journal;
struct rfs_lessons;
struct rfs_pool;

/* Makes a pool; free it with rfs_pool_free(). What settings points to must exist as long as the pool. 0 or -errno. */
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
	/*
	 * Called once for each i, in ascending order. done() may take members out of result if it sets them to zero
	 * there. Returns true to keep the files of the execution. Not called for cancelled executions.
	 */
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
 * Runs the batch. When it returns, no job is running. If the end is RFS_POOL_DONE, done() was called for all
 * executions, otherwise for the executions up to some number. If a job dies or does not answer, its run counts as
 * uncontrolled, with a message. Runs that end in RFS_END_RESTART or RFS_END_CANCELLED never reach done().
 */
enum rfs_pool_end rfs_pool_run(struct rfs_pool *pool, const struct rfs_batch *batch, char *why, size_t n)
	__attribute__((warn_unused_result));

/*
 * Runs one execution. If the end is RFS_POOL_DONE, the caller owns result (rfs_run_result_release()). If used is not
 * NULL, the lessons of the final run are added to it. keep: keep the files of the execution.
 */
enum rfs_pool_end rfs_pool_run_one(struct rfs_pool *pool, const struct rfs_execution *execution, bool keep,
				   struct rfs_run_result *result, struct rfs_lessons *used, char *why, size_t n)
	__attribute__((warn_unused_result));

/* From now on, results are taken from this journal and added to it. The pool borrows it. NULL: none. */
void rfs_pool_use_journal(struct rfs_pool *pool, struct rfs_journal *journal);
/* Removes the kept files of an execution, and calls settings->discard for it. */
void rfs_pool_discard(struct rfs_pool *pool, const struct rfs_execution *execution);

/* Until the next call, batches also end at this time, as at their own deadline. 0: none. */
void rfs_pool_until(struct rfs_pool *pool, double deadline);
/* Ends the workers and their fork servers, because the next executions will need other servers. */
void rfs_pool_rest(struct rfs_pool *pool);
/*
 * rfs_pool_served() returns how many executions were made with fork servers. rfs_pool_unserved() returns the reason why
 * no more fork servers are used; NULL: they may still be used.
 */
uint64_t rfs_pool_served(const struct rfs_pool *pool);
const char *rfs_pool_unserved(const struct rfs_pool *pool);

/* The spin sites found so far. Borrowed until the next call. */
const struct rfs_site_set *rfs_pool_spin(const struct rfs_pool *pool);
/* How often an execution was restarted because of a lesson that it learnt. */
uint64_t rfs_pool_restarts(const struct rfs_pool *pool);
/* A warning that such an execution may not have had a fresh start. Borrowed; NULL: none. */
const char *rfs_pool_remade(const struct rfs_pool *pool);

#endif
