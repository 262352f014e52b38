/*
 * executor.h - executes generated tests under control. A test is executed by the driver, which reads it from a
 * file. Each test has a fork server, in which the library is loaded and patched and the prefix is executed once. Each
 * execution is a copy that executes the two suffixes. If the prefix makes copies impossible, each copy executes it.
 */
#ifndef RFS_EXECUTOR_H
#define RFS_EXECUTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/generate/search/ending.h"
#include "supervisor/generate/search/test_outcome.h"
#include "supervisor/generate/tests/trial.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"

struct rfs_library;
struct rfs_sequence;

struct rfs_executor_settings {
	const char *driver, *guard, *shim; /* absolute paths */
	const char *folder;		   /* each lane has a folder in it; absolute */
	char *const *watched;		   /* globs of modules; ends with NULL */
	struct rfs_driver_settings tests;
	bool results;	    /* keep what the calls give back */
	bool without_sweep; /* concurrent executions are under the other policies only */
	rfs_run_fn *plain;  /* makes concurrent executions without control; NULL: all are controlled */
	uint64_t seed;
	double deadline; /* CLOCK_MONOTONIC in seconds; 0: none */
	int cancel_fd;
	const struct rfs_server_ops *server;
	rfs_run_fn *run;
};

/*
 * The working directory of the tests of a lane: FOLDER/LANE/private. Caller frees.
 *
 * A lane is a process that executes tests, and lane 0 is the session's. FOLDER/LANE has the file of its test and the
 * output of its executions. LANE always has three digits, because programs can tell how long a path is.
 */
char *rfs_executor_private(const char *folder, unsigned lane);

struct rfs_executor;

/* 0 and *out (rfs_executor_free()), or -errno and a line in why. */
int rfs_executor_new(const struct rfs_executor_settings *settings, struct rfs_executor **out, char *why, size_t n)
	__attribute__((warn_unused_result));
void rfs_executor_free(struct rfs_executor *executor);

/*
 * Called in a copy of the session's process: from now on, its executor is that of this lane. 0 or -errno.
 */
int rfs_executor_enter(struct rfs_executor *executor, unsigned lane) __attribute__((warn_unused_result));

/* Ends the fork servers of the test. */
void rfs_executor_unload(struct rfs_executor *executor);

/* Sets the test of the next executions. False: no more executions can be made. */
bool rfs_executor_load(struct rfs_executor *executor, const struct rfs_library *library,
		       const struct rfs_sequence *sequence);

/* Threads of a test without those of the library: the first one, and one for each suffix. */
#define RFS_TEST_THREADS 3

/* An execution in which the calls take turns. */
struct rfs_turns_result {
	enum rfs_ending ending;
	uint64_t order[2]; /* of the partial order */
	uint64_t n_stops;  /* after the prefix */
	uint64_t n_steps;  /* visible operations of the two threads and of those that the library starts */
	uint64_t n_threads;
	bool has_children;		 /* the prefix or a call has made processes */
	bool is_undefined;		 /* its calls unlock or wait with locks that their thread does not hold */
	struct rfs_test_outcome outcome; /* if results are kept; the caller releases it */
};

/* order: one digit for each call: which suffix executes its next call. False as above. */
bool rfs_executor_turns(struct rfs_executor *executor, const char *order, struct rfs_turns_result *out);

/* The first failure of concurrent executions. */
struct rfs_search_result {
	enum rfs_ending ending;		 /* FINE: none of them failed */
	int detail;			 /* signal or exit status */
	uint64_t n;			 /* executions that were made */
	const char *policy;		 /* of the failing one */
	struct rfs_waiters deadlock;	 /* owned (rfs_waiters_release()) */
	struct rfs_test_outcome outcome; /* if the ending is RESULT; the caller releases it */
};

/*
 * Executes the test under up to n different schedules, until one fails. allowed: any other outcome is a failure too;
 * NULL: outcomes are not compared. False as above.
 */
bool rfs_executor_search(struct rfs_executor *executor, uint64_t n, const struct rfs_test_outcomes *allowed,
			 struct rfs_search_result *out);

/* Whether the next executions have other addresses of memory. */
void rfs_executor_shift(struct rfs_executor *executor, bool shifted);

/* Where concurrent executions of the loaded test stop. Its sequential orders come first. */
enum rfs_points rfs_executor_points(const struct rfs_executor *executor);

/* The names of the policies of concurrent executions; NULL behind the last one. */
const char *rfs_executor_policy(size_t i);

/*
 * Where the execution stops. If a sequential order of the loaded test has at most `stops` stops, the execution stops at
 * all accesses, and can be a copy of the fork server of sequential orders. Otherwise it stops at `points`.
 */
void rfs_executor_set_points(const struct rfs_executor *executor, uint64_t stops, enum rfs_points points,
			     struct rfs_execution *out);
/* For batches of other files: the execution of the loaded test under a policy, with settings.seed + number. */
void rfs_executor_prepare(const struct rfs_executor *executor, const char *policy, uint64_t number,
			  struct rfs_execution *out);
/* Makes a batch; enough: as in struct rfs_batch. Its done() calls rfs_executor_made(). False as above. */
bool rfs_executor_run(struct rfs_executor *executor, struct rfs_batch *batch, const bool *enough);
void rfs_executor_made(struct rfs_executor *executor);
/* Whether the prefix of the loaded test was found to make a fork server impossible. *prefix: its hash. */
bool rfs_executor_late(const struct rfs_executor *executor, uint64_t *prefix);
/* Another lane has found that a prefix makes a fork server impossible. */
void rfs_executor_add_late(struct rfs_executor *executor, uint64_t prefix);
/* Ends a batch of tests (session-priv.h): from now on, it is known which of its prefixes are late. */
void rfs_executor_end_batch(struct rfs_executor *executor);
/* Counts executions of another lane. */
void rfs_executor_add(struct rfs_executor *executor, uint64_t n, uint64_t n_served);

/* Why no execution can be made: an enum rfs_pool_end, and a line. */
enum rfs_pool_end rfs_executor_end(const struct rfs_executor *executor, const char **why);
/* Executions so far, and how many of them were copies of a fork server. */
uint64_t rfs_executor_count(const struct rfs_executor *executor);
uint64_t rfs_executor_served(const struct rfs_executor *executor);

#endif
