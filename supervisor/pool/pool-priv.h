/*
 * pool-priv.h - the state of a working pool, shared by its parts. job.c decides what to start, and hands results over
 * in order. slot.c makes executions, in separate processes or by workers.
 */
#ifndef RFS_POOL_PRIV_H
#define RFS_POOL_PRIV_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/pool/job.h"
#include "supervisor/pool/wire.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/lessons.h"

enum rfs_entry_state { ENTRY_EMPTY, ENTRY_RUNNING, ENTRY_READY };

/* An execution that is not committed yet. Entry i is in the ring at index i modulo the ring's length. */
struct rfs_entry {
	enum rfs_entry_state state;
	struct rfs_execution execution;
	struct rfs_lessons used; /* the lessons of its run */
	uint64_t version;	 /* version of pool->lessons at its start */
	struct rfs_reply reply;	 /* valid if READY */
	bool known;		 /* the reply comes from the journal */
	bool alone;		 /* a worker could not make it, so it gets a separate process */
};

/* A slot for one job. */
struct rfs_slot {
	pid_t pid; /* 0: idle */
	int fd;
	uint64_t index; /* of its execution */
	uint8_t *bytes;
	size_t n, size;
	double give_up; /* when the job is told to stop, and later killed; 0: never */
	bool terminated;
	bool served;		   /* pid and fd belong to the worker */
	struct rfs_worker *worker; /* working or idle; NULL: none */
};

struct rfs_pool {
	struct rfs_pool_settings settings;
	cpu_set_t cores;
	int first_core; /* the core that this process started on */
	struct rfs_slot *slots;
	struct rfs_lessons lessons;
	uint64_t version; /* incremented when lessons grow */
	uint64_t restarts, served;
	unsigned worker_failures;
	char *unserved; /* why no more workers are started; NULL: they are started */
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
	bool commands;	       /* the user's commands run before or during its executions */
	enum rfs_pool_end end; /* not DONE: nothing more is started */
	char *why;
	size_t why_n;
};

/* The entry of execution i. */
struct rfs_entry *rfs_entry_of(struct rfs_course *c, uint64_t index);
/* Makes the run of the entry count as uncontrolled, with this message. */
void rfs_entry_lost(struct rfs_entry *entry, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Starts the execution of an entry in an idle slot. The lessons of the entry are set before. */
void rfs_slot_start(struct rfs_course *c, unsigned number, uint64_t index);
/* Reads the answer in the slot. If the execution is done and need not be made again, its entry becomes READY. */
void rfs_slot_read(struct rfs_course *c, unsigned number);
/* Ends the slot's worker, if there is one. */
void rfs_slot_end_worker(struct rfs_slot *slot);
/* Kills the processes that a job left behind. Not called while other jobs run that may have started a server by their
 * setup command. */
void rfs_slots_sweep(struct rfs_course *c);

#endif
