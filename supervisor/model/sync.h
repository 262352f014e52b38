/*
 * sync.h - a model of synchronisation: the threads of a program, what each holds and what it waits for. Pure: objects
 * are read through struct rfs_model_memory, and whoever uses the model parks threads and emits events.
 */
#ifndef RFS_MODEL_SYNC_H
#define RFS_MODEL_SYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "policy/policy.h"
#include "supervisor/model/lock.h"

struct rfs_barrier;
struct rfs_semaphore;

struct rfs_hold {
	rfs_addr lock;
	enum rfs_op_kind kind; /* LOCK, WRLOCK: exclusive; RDLOCK: shared */
	unsigned count;	       /* recursive or repeated read holds */
};

enum rfs_wait_kind {
	RFS_WAIT_NOTHING, /* the thread runs, or is parked before something that the model does not know */
	RFS_WAIT_LOCK,
	RFS_WAIT_LOCK_PI, /* a priority-inheriting futex */
	RFS_WAIT_JOIN,
	RFS_WAIT_COND, /* for what rfs_sync_thread.cond says */
	RFS_WAIT_SEMAPHORE,
	RFS_WAIT_BARRIER,
	RFS_WAIT_ONCE,
	RFS_WAIT_GUARD,
	RFS_WAIT_FUTEX, /* for what rfs_sync_thread.futex says */
};

/* What a parked thread waits for. */
struct rfs_wait {
	enum rfs_wait_kind kind;
	enum rfs_lock_type lock; /* LOCK */
	rfs_addr object;
	size_t peer;	/* JOIN: the thread waited for */
	uint64_t round; /* BARRIER: the round that it arrived in, and the message of that round */
	uint64_t message;
	bool timed; /* a timeout ends the wait */
};

/* A condition wait, from the release of the mutex until it is taken again; signal handlers may run meanwhile. */
struct rfs_cond_wait {
	bool active, signalled;
	rfs_addr cond, mutex;
	uint64_t order;	  /* the lowest waits longest */
	uint64_t message; /* of the signal that woke it */
};

struct rfs_futex_sleep {
	bool awake; /* a wake came */
	rfs_addr word;
	unsigned bits;
	uint64_t order; /* the lowest sleeps longest */
	long answer;	/* result of its next futex wait, which does not sleep then; 0: it may sleep */
};

struct rfs_sync_thread {
	pid_t tid; /* as the locks in memory name it */
	bool ended;
	bool cancel_pending, cancel_disabled;
	struct rfs_hold *holds;
	size_t n_holds;
	struct rfs_wait wait;
	struct rfs_cond_wait cond;
	struct rfs_futex_sleep futex;
};

/* All zero at first. Threads are known by their number, in the order in which they were added. */
struct rfs_sync {
	struct rfs_sync_thread **threads; /* borrowed from whoever added them */
	size_t n_threads;
	struct rfs_barrier *barriers;
	struct rfs_semaphore *semaphores;
	uint64_t next_order, next_message;
};

void rfs_sync_add(struct rfs_sync *sync, struct rfs_sync_thread *thread);
/* What was counted so far; no threads and no objects. */
void rfs_sync_copy(const struct rfs_sync *from, struct rfs_sync *to);
/* The threads' holds as well. */
void rfs_sync_release(struct rfs_sync *sync);

void rfs_sync_thread_copy(const struct rfs_sync_thread *from, struct rfs_sync_thread *to);
/* It executes another program: what it held and waited for is gone. */
void rfs_sync_thread_exec(struct rfs_sync_thread *thread);
void rfs_sync_thread_ended(struct rfs_sync_thread *thread);
/* A cancellation is pending that it may act on. */
bool rfs_sync_cancelled(const struct rfs_sync_thread *thread);
/* What it sleeps for has come: it was signalled or woken. */
bool rfs_sync_woken(const struct rfs_sync_thread *thread);

/* One hold more. True if it is the first. */
bool rfs_sync_acquire(struct rfs_sync_thread *thread, rfs_addr lock, enum rfs_op_kind kind);
/* One hold less. True if it was the last; *kind: of that hold. */
bool rfs_sync_release_lock(struct rfs_sync_thread *thread, rfs_addr lock, enum rfs_op_kind *kind);
bool rfs_sync_holds(const struct rfs_sync_thread *thread, rfs_addr lock);
/* The first thread that holds the lock; but: not this one (NULL: any). -1: nobody. */
int rfs_sync_holder(const struct rfs_sync *sync, rfs_addr lock, const struct rfs_sync_thread *but);
/* Whose hold an unlock by the thread gives up: its own, or else another thread's. -1: nobody's. */
int rfs_sync_unlocks(const struct rfs_sync *sync, const struct rfs_sync_thread *thread, rfs_addr lock);

#endif
