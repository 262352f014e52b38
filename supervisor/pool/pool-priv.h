/*
 * pool-priv.h - a pool at work: job.c decides what is started and hands results over in order; slot.c has executions
 * made, in a process of their own or by a worker.
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

/* An execution that is not committed yet. Entry i stands at i modulo the length of the ring. */
struct rfs_entry {
	enum rfs_entry_state state;
	struct rfs_execution execution;
	struct rfs_lessons used; /* that it runs with */
	uint64_t version;	 /* of pool->lessons when it was started */
	struct rfs_reply reply;	 /* READY */
	bool alone;		 /* a worker could not make it: it gets a process of its own */
};

/* A process at work. */
struct rfs_slot {
	pid_t pid; /* 0: idle */
	int fd;
	uint64_t index; /* of its execution */
	uint8_t *bytes;
	size_t n, size;
	double give_up; /* when it is told to stop (0: never), then killed */
	bool terminated;
	bool served;		   /* pid and fd are the worker's */
	struct rfs_worker *worker; /* at work or idle; NULL: none */
};

struct rfs_pool {
	struct rfs_pool_settings settings;
	cpu_set_t cores;
	int first_core; /* that we were on at first */
	struct rfs_slot *slots;
	struct rfs_lessons lessons;
	uint64_t version; /* counts the growth of lessons */
	uint64_t restarts, served;
	unsigned worker_failures;
	char *unserved; /* why no worker is started any more; NULL: they are */
};

/* What one call of rfs_pool_run() needs. */
struct rfs_course {
	struct rfs_pool *pool;
	const struct rfs_batch *batch;
	struct rfs_entry *ring;
	size_t ring_size, n_slots, running;
	uint64_t next, committed;
	bool started_worker;
	bool commands;	       /* its executions have commands of the user's run before them, or beside them */
	enum rfs_pool_end end; /* anything but DONE: nothing is started any more */
	char *why;
	size_t why_n;
};

/* The entry of execution i. */
struct rfs_entry *rfs_entry_of(struct rfs_course *c, uint64_t index);
/* The run of the entry counts as one that could not be controlled, with this message. */
void rfs_entry_lost(struct rfs_entry *entry, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Starts the execution of an entry, whose lessons are set, in an idle slot. */
void rfs_slot_start(struct rfs_course *c, unsigned number, uint64_t index);
/* Reads what the slot at work has sent. An execution that is done, and need not be made again, is READY then. */
void rfs_slot_read(struct rfs_course *c, unsigned number);
/* Ends the slot's worker, if it has one. */
void rfs_slot_end_worker(struct rfs_slot *slot);
/* Kills what a job left behind. Not while other jobs run whose setup command may have started a server for them. */
void rfs_slots_sweep(struct rfs_course *c);

#endif
