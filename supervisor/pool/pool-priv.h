/*
 * pool-priv.h - the state of a pool, shared by its files. job.c decides what to start, and commits results in order.
 * slot.c makes the executions, in separate processes or by workers.
 */
#ifndef RFS_POOL_PRIV_H
#define RFS_POOL_PRIV_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/pool/job.h"
#include "supervisor/pool/passes.h"
#include "supervisor/pool/wire.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/lessons.h"

enum rfs_entry_state { ENTRY_EMPTY, ENTRY_RUNNING, ENTRY_READY };

/*
 * An execution that has started and is not committed yet. Execution i is in the ring at index i modulo the ring's
 * length.
 */
struct rfs_entry {
	enum rfs_entry_state state;
	struct rfs_execution execution;
	struct rfs_lessons used; /* the lessons of its run */
	uint64_t version;	 /* pool->version when the execution started */
	struct rfs_reply reply;	 /* valid if READY */
	bool known;		 /* the reply comes from the journal */
	bool alone;		 /* a worker could not make this execution, so it gets a separate process */
	bool unprepared;	 /* a worker makes this execution, and prepare() was not called yet */
	bool has_files;		 /* files of this execution may exist */
	/* The next members are for a detector with two passes. */
	enum rfs_pass pass;
	const struct rfs_detector_ops *detector; /* the detector of the caller */
	struct rfs_reply first;			 /* RFS_PASS_SECOND: the reply of the first pass */
	char *input;				 /* RFS_PASS_SECOND: the file of its input; NULL: none */
	bool differed;				 /* the second pass took another course than the first one */
	bool overwritten;			 /* the program wrote to the filter of a pass */
	bool slow;				 /* a pass reached a limit of time */
	bool unrepeated;			 /* the first pass has failed, and the second one did not end */
};

/* A slot for one job. */
struct rfs_slot {
	pid_t pid; /* 0: idle */
	int fd;
	uint64_t index; /* the execution that the slot makes */
	uint8_t *bytes;
	size_t n, size;
	double give_up; /* the time (rfs_clock()) at which the job gets SIGTERM or, after SIGTERM, SIGKILL; 0: never */
	bool terminated;
	double prepare_at;	   /* when prepare() is called if the execution is still unprepared; 0: never */
	bool served;		   /* pid and fd belong to the worker */
	struct rfs_worker *worker; /* working or idle; NULL: none */
};

struct rfs_pool {
	struct rfs_pool_settings settings;
	cpu_set_t cores;
	int first_core; /* the core that this process started on */
	double until;	/* rfs_pool_until() */
	struct rfs_slot *slots;
	struct rfs_lessons lessons;
	uint64_t version; /* incremented when lessons grow */
	uint64_t restarts, served;
	char *remade; /* a warning that a run was made again although its first start had an effect; NULL: none */
	unsigned worker_failures;
	char *unserved; /* why no more workers are started; NULL: more may be started */
};

/* The state of one call of rfs_pool_run(). */
struct rfs_course {
	struct rfs_pool *pool;
	const struct rfs_batch *batch;
	struct rfs_entry *ring;
	size_t ring_size, n_slots, running;
	uint64_t next, committed;
	double deadline; /* of the batch and the pool, the earlier one; 0: none */
	bool started_worker;
	bool commands;	       /* an execution has a setup command or a load driver */
	enum rfs_pool_end end; /* if not RFS_POOL_DONE, no more executions are started */
	char *why;
	size_t why_n;
};

/* The entry of execution i. */
struct rfs_entry *rfs_entry_of(struct rfs_course *c, uint64_t index);
/* Whether the run must be made again. A run with given lessons, such as a replay, is not made again for a new lock. */
bool rfs_entry_restarts(const struct rfs_entry *entry);
/* Gives the entry a result that counts as uncontrolled, with this message. */
void rfs_entry_lost(struct rfs_entry *entry, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Starts execution `index` in the idle slot `number`. The entry has its execution and lessons already. */
void rfs_slot_start(struct rfs_course *c, unsigned number, uint64_t index);
/*
 * Reads what has arrived of the answer in slot `number`. If the answer is complete and the run need not be restarted,
 * the entry becomes READY.
 */
void rfs_slot_read(struct rfs_course *c, unsigned number);
/* Calls prepare() for an execution of a worker, unless that was done. 0, or -errno and a line in why. */
int rfs_entry_prepare(const struct rfs_pool *pool, struct rfs_entry *entry, char *why, size_t n)
	__attribute__((warn_unused_result));
/* Ends the slot's worker, if there is one. */
void rfs_slot_end_worker(struct rfs_slot *slot);
/*
 * Kills the processes that jobs left behind. Does nothing while other jobs run, if their commands may have started a
 * process that they still need.
 */
void rfs_slots_sweep(struct rfs_course *c);

#endif
