/*
 * The model is pure. It reads the program's objects through struct rfs_model_memory. The code that uses the model parks
 * threads and sends events to policies and detectors.
 */
#ifndef RFS_MODEL_SYNC_H
#define RFS_MODEL_SYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "policy/operations.h"
#include "supervisor/model/lock.h"

struct rfs_barrier;
struct rfs_semaphore;

/* A lock that a thread holds. */
struct rfs_hold {
	rfs_addr lock;
	enum rfs_op_kind kind; /* LOCK and WRLOCK mean an exclusive hold, RDLOCK a shared one */
	unsigned count;	       /* above 1: the thread locked it recursively, or several times for reading */
	rfs_site site;	       /* where the thread acquired it; 0: not known */
	bool owned;	       /* a lock of the thread library that only this thread may release */
	uint64_t step;	       /* how many operations were executed until the thread acquired it; 0: not known */
};

enum rfs_wait_kind {
	RFS_WAIT_NOTHING, /* the thread runs, or is parked at an operation that the model does not know */
	RFS_WAIT_LOCK,
	RFS_WAIT_LOCK_PI, /* a priority-inheriting futex */
	RFS_WAIT_HELD,	  /* a lock whose memory is not read: only the holds of the model say whether it is free */
	RFS_WAIT_JOIN,
	RFS_WAIT_COND, /* described by rfs_sync_thread.cond */
	RFS_WAIT_SEMAPHORE,
	RFS_WAIT_BARRIER,
	RFS_WAIT_ONCE,
	RFS_WAIT_GUARD,
	RFS_WAIT_FUTEX, /* described by rfs_sync_thread.futex */
};

/* What a parked thread waits for. */
struct rfs_wait {
	enum rfs_wait_kind kind;
	enum rfs_lock_type lock; /* for LOCK */
	rfs_addr object;
	size_t peer;	/* for JOIN: the number of the thread that is joined */
	uint64_t round; /* for BARRIER: the round in which the thread arrived; `message` is the message of that round */
	uint64_t message;
	bool recursive; /* for HELD: a thread can acquire it again */
	bool timed;	/* a timeout can end the wait */
};

/*
 * A condition wait, from the release of the mutex until the thread takes it again. Signal handlers may run in between.
 */
struct rfs_cond_wait {
	bool active, signalled;
	bool spurious; /* it may end without a signal */
	rfs_addr cond, mutex;
	uint64_t order;	  /* the thread with the lowest order has waited longest */
	uint64_t message; /* the message of the signal that woke the thread */
};

/* A thread's sleep in a futex call. */
struct rfs_futex_sleep {
	bool awake; /* a wake has ended the sleep */
	rfs_addr word;
	unsigned bits;
	uint64_t order; /* the thread with the lowest order has slept longest */
	long answer;	/* not 0: the thread's next futex wait returns this result instead of sleeping */
};

/* What the model knows of one thread. */
struct rfs_sync_thread {
	pid_t tid; /* the thread id that locks in memory contain */
	bool ended;
	bool cancel_pending, cancel_disabled;
	struct rfs_hold *holds;
	size_t n_holds;
	struct rfs_wait wait;
	/* The wait at a barrier that a signal handler interrupts, and the stack pointer at the call. NOTHING: none. */
	struct rfs_wait arrived;
	rfs_addr arrived_stack;
	/*
	 * The readers-writer lock that prefers writers and for which this writer has begun to wait. New readers have to
	 * wait too. 0: none. The lock's memory does not show it, because the call begins only when it can return.
	 */
	rfs_addr wants_write;
	struct rfs_cond_wait cond;
	struct rfs_futex_sleep futex;
};

/* The model of one program. It starts as all zeros. A thread's number is its index in threads. */
struct rfs_sync {
	struct rfs_sync_thread **threads; /* borrowed from the caller that added them */
	size_t n_threads;
	struct rfs_barrier *barriers;
	struct rfs_semaphore *semaphores;
	uint64_t next_order, next_message;
};

/* Whether a writer other than this thread has begun to wait for a lock that prefers writers. */
bool rfs_sync_writer_waits(const struct rfs_sync *sync, const struct rfs_sync_thread *thread, rfs_addr lock);

/* Adds a thread. The struct must exist as long as the model. */
void rfs_sync_add(struct rfs_sync *sync, struct rfs_sync_thread *thread);
/* Copies the counters only. Threads and objects are not copied. */
void rfs_sync_copy(const struct rfs_sync *from, struct rfs_sync *to);
/* Frees the barriers and semaphores, and the holds of all threads. */
void rfs_sync_release(struct rfs_sync *sync);

/* Copies a thread and its holds. */
void rfs_sync_thread_copy(const struct rfs_sync_thread *from, struct rfs_sync_thread *to);
/* Called when the thread executes another program: what the thread held and waited for no longer exists. */
void rfs_sync_thread_exec(struct rfs_sync_thread *thread);
/* Called when the thread has ended: it waits for nothing any more. */
void rfs_sync_thread_ended(struct rfs_sync_thread *thread);
/* Whether a cancellation is pending that the thread may act on. */
bool rfs_sync_cancelled(const struct rfs_sync_thread *thread);
/* Whether a signal or a wake has ended the thread's wait at a condition variable or futex. */
bool rfs_sync_woken(const struct rfs_sync_thread *thread);

/* Adds one hold of the lock. True if the thread did not hold the lock before. */
bool rfs_sync_acquire(struct rfs_sync_thread *thread, rfs_addr lock, enum rfs_op_kind kind);
/* Notes where and when the thread acquired the lock that it has just acquired. */
void rfs_sync_acquired_at(struct rfs_sync_thread *thread, rfs_addr lock, rfs_site site, uint64_t step);
/*
 * Removes one hold of the lock. True if the thread no longer holds the lock; *kind is then the kind of the removed
 * hold.
 */
bool rfs_sync_release_lock(struct rfs_sync_thread *thread, rfs_addr lock, enum rfs_op_kind *kind);
/* Says of a lock that the thread holds: only this thread may release it. */
void rfs_sync_own(struct rfs_sync_thread *thread, rfs_addr lock);
bool rfs_sync_holds(const struct rfs_sync_thread *thread, rfs_addr lock);
/*
 * The number of the first thread that holds the lock. `but` is left out of the search; NULL: no thread is left out. -1:
 * no thread holds the lock.
 */
int rfs_sync_holder(const struct rfs_sync *sync, rfs_addr lock, const struct rfs_sync_thread *but);
/*
 * The number of the thread that loses its hold if this thread unlocks: this thread if it holds the lock, otherwise
 * another holder. -1: no thread holds the lock.
 */
int rfs_sync_unlocks(const struct rfs_sync *sync, const struct rfs_sync_thread *thread, rfs_addr lock);

#endif
