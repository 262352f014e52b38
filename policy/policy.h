/*
 * policy.h - the only header that the author of a scheduling policy or race detector needs.
 *
 * A controlled run is a loop (Sen, ASE 2007, figure 3): every live thread but the running one is parked right before
 * its next visible operation; the policy picks a thread; that thread executes the operation and continues to its next.
 * A policy and a detector are pure: they use no process, clock or global, and draw only from their own seeded
 * generator. So a seed always means the same run, and tests can run them on a model machine.
 */
#ifndef RFS_POLICY_H
#define RFS_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RFS_POLICY_ABI 1u

/* An address in the target. Never one of our own pointers. */
typedef uint64_t rfs_addr;

/* One instruction of the target: opaque here, 0 if unknown. Equal in one run for equal (module, offset). */
typedef uint64_t rfs_site;
/* Operations, as the thread that is parked before them sees them. */
enum rfs_op_kind {
	RFS_OP_NONE,
	RFS_OP_START,	/* first instruction of a new thread */
	RFS_OP_CREATE,	/* pthread_create and similar functions; peer is unknown before it ran */
	RFS_OP_EXIT,	/* the thread ends */
	RFS_OP_JOIN,	/* peer: the thread waited for, -1 if it was never seen */
	RFS_OP_KILL,	/* sends a signal or a cancellation; peer: the receiving thread, -1: the process, or unknown */
	RFS_OP_LOCK,	/* exclusive hold of a mutex */
	RFS_OP_RDLOCK,	/* shared hold of a readers-writer lock */
	RFS_OP_WRLOCK,	/* exclusive hold of a readers-writer lock */
	RFS_OP_TRYLOCK, /* never blocks; may fail */
	RFS_OP_UNLOCK,	/* releases any of these locks */
	RFS_OP_COND_WAIT,   /* object: the condition variable, object2: the mutex; releases and goes to sleep */
	RFS_OP_COND_WAKE,   /* asleep on object; takes object2 again once signalled or timed out */
	RFS_OP_COND_SIGNAL, /* wakes one */
	RFS_OP_COND_BROADCAST,
	RFS_OP_SEM_WAIT,
	RFS_OP_SEM_TRYWAIT,
	RFS_OP_SEM_POST,
	RFS_OP_BARRIER_WAIT,  /* arrives */
	RFS_OP_BARRIER_LEAVE, /* enabled when the last party arrived */
	RFS_OP_ONCE,	      /* pthread_once, call_once, static-local guards */
	RFS_OP_DESTROY,	      /* pthread_*_destroy, sem_destroy */
	RFS_OP_FUTEX_WAIT,    /* the call; it returns at once if the value differs, otherwise the thread sleeps */
	RFS_OP_FUTEX_SLEEP,   /* asleep on object; enabled by a wake, its timeout or a signal */
	RFS_OP_FUTEX_WAKE,
	RFS_OP_YIELD,	  /* sched_yield, pause in a loop */
	RFS_OP_SLEEP,	  /* until due */
	RFS_OP_ACCESS,	  /* a memory access; object: its address */
	RFS_OP_SPIN_READ, /* a read in a spin loop; enabled once a value that the loop read has changed */
	RFS_OP_SYSCALL,	  /* a system call that may block; enabled when it would not */
	RFS_OP_KERNEL,	  /* inside a system call that has not returned; never enabled */
	RFS_OP_COUNT
};

/* Short lower-case name ("cond-wait"), borrowed forever; "?" for a value out of range. */
const char *rfs_op_name(enum rfs_op_kind kind);

enum rfs_access_flags {
	RFS_ACCESS_READ = 1,
	RFS_ACCESS_WRITE = 2,
	RFS_ACCESS_ATOMIC = 4, /* lock prefix, xchg with memory */
	/* one half of a read-modify-write instruction without lock prefix: READ or WRITE tells which half */
	RFS_ACCESS_RMW = 8,
	RFS_ACCESS_RANGE = 16,	      /* memcpy and similar functions, rep strings; size is the rest of the range */
	RFS_ACCESS_FREE = 32,	      /* free of a heap block: a write to all of it */
	RFS_ACCESS_ALIGNED_MOVE = 64, /* plain aligned move of 1, 2, 4, 8 bytes: what compilers make of an acquire load
				       * or a release store too */
	RFS_ACCESS_UNSEEN = 128, /* atomic update such as lock inc: the thread does not see the old value */
};

struct rfs_op {
	enum rfs_op_kind kind;
	unsigned access;     /* RFS_OP_ACCESS and SPIN_READ: enum rfs_access_flags */
	unsigned statements; /* bit 0, 1: the site is of the first, the second statement of the pair under test */
	int peer;	     /* another thread's number, or -1 */
	rfs_site site;	     /* the access, or the call that made the operation */
	rfs_addr object;     /* lock, condition variable, semaphore, futex word, accessed address; 0 if none */
	rfs_addr object2;    /* the mutex of a condition wait */
	uint64_t size;	     /* bytes accessed */
};

enum rfs_thread_flags {
	RFS_THREAD_ENABLED = 1,
	RFS_THREAD_CAN_TIME_OUT = 2, /* its timeout may be chosen as the outcome, whether enabled or not */
	RFS_THREAD_YIELDED = 4,	     /* gave up its turn and no other thread has run since */
	RFS_THREAD_SLEEPS = 8,	     /* enabled only by letting virtual time pass */
	RFS_THREAD_READY = 16,	     /* a timed operation that can also complete now */
	RFS_THREAD_WOKEN = 32,	     /* COND_WAKE, FUTEX_SLEEP: was signalled, woken or timed out already, and waits at
				      * most for the mutex: a signal that took it too would be lost */
};

struct rfs_thread_view {
	int thread;	    /* number in order of creation, the first is 0; never used twice in a run */
	unsigned flags;	    /* enum rfs_thread_flags */
	struct rfs_op next; /* the papers' NextStmt(s, t) */
	/* the lock's static symbol or allocation site and offset; 0 if next is not an acquisition */
	uint64_t lock_class;
};

/* The state that a policy chooses in. All pointers are borrowed for the time of the call. */
struct rfs_view {
	uint64_t step;			       /* visible operations executed so far */
	size_t n_threads;		       /* the papers' Alive(s) */
	const struct rfs_thread_view *threads; /* ascending by thread */
	/* Writes the return addresses of a thread's stack, innermost first; returns how many, at most max. Of a thread
	 * before START: its start routine's, as if that had made a call. NULL: stacks are not known. */
	size_t (*stack)(const struct rfs_view *view, int thread, rfs_addr *out, size_t max);
	/* The function that contains a return address: a number that is the same in every run; 0 if it is unknown or in
	 * the C or C++ library. NULL: only addresses are known. */
	uint64_t (*function)(const struct rfs_view *view, rfs_addr address);
};

enum rfs_outcome {
	RFS_OUTCOME_DONE,      /* the operation completes */
	RFS_OUTCOME_TIMED_OUT, /* only for a thread with RFS_THREAD_CAN_TIME_OUT */
};

struct rfs_choice {
	int thread; /* must be enabled, or able to time out if that is the outcome */
	enum rfs_outcome outcome;
	int waiter; /* the thread that a signal or a wake resumes; -1: the one that has waited longest */
	/* How many more operations this thread continues with, of any kind: pick is not called for them, event
	 * is, for some of them only before the next pick. If the thread is not enabled, is enabled only by letting time
	 * pass, can only time out, or has yielded, the rest is dropped and pick is called. 0: ask again. */
	uint32_t hint;
	/* The hint is also dropped if another thread becomes able to run, becomes unable to, or is new, and before an
	 * operation that needs another choice: a waiter, whether it times out, whether a race is created. So a policy
	 * may set it if it would choose the same thread again as long as nothing else changes. */
	bool steady;
	int race[2]; /* two threads that are now parked at the two statements: the race that this choice resolves;
		      * -1, -1 if none. The run checks the claim and records the state of both. */
};

enum rfs_event_kind {
	RFS_EVENT_OP,	   /* thread executed op with outcome */
	RFS_EVENT_ACCESS,  /* a memory access: op.object, op.size, op.access, op.site */
	RFS_EVENT_ACQUIRE, /* holds op.object now; op.kind LOCK or WRLOCK (exclusive) or RDLOCK (shared) */
	RFS_EVENT_RELEASE, /* gave up one hold of op.object */
	/*
	 * Everything that the sender did before SEND happens before everything after a RECEIVE of the same message. If
	 * op.size is not 0, the sender also sets the word op.object, and a plain read of this word receives the message
	 * too. An example is the guard of a C++ static local, which compilers read inline.
	 */
	RFS_EVENT_SEND,
	RFS_EVENT_RECEIVE,
	RFS_EVENT_FORGET, /* no thread will receive the message after this: its number may be reused */
	RFS_EVENT_RESET,  /* op.object, op.size: a new use of the memory begins (malloc, new stack) */
	RFS_EVENT_THREAD, /* thread exists from now on; op.peer: its creator, -1 for the first */
};

struct rfs_event {
	enum rfs_event_kind kind;
	enum rfs_outcome outcome;
	int thread;
	uint64_t message; /* SEND, RECEIVE: several SENDs of one message join; a message may be received many times */
	struct rfs_op op;
};

/* Bytes that one run of a policy hands to the next. The holder of the struct owns data, which is from malloc. */
struct rfs_blob {
	void *data;
	size_t size;
};

struct rfs_policy_args {
	uint64_t seed;
	const char *options;	     /* "key=value,key=value", borrowed during init; NULL or "" for none */
	const struct rfs_blob *blob; /* the data that the previous run saved; NULL: none; borrowed during init */
};

enum rfs_policy_flags {
	RFS_POLICY_NEEDS_BLOB = 1, /* each run needs the data of the previous one */
	RFS_POLICY_NEEDS_PAIR = 2, /* reads op.statements: a pair must be under test */
	RFS_POLICY_NEEDS_HEAP = 4, /* reads lock_class, so allocations must be tracked */
	/* If only one thread can be chosen and nothing else is to be chosen, pick need not be called: it would choose
	 * that thread, draw nothing, and learn nothing that event does not report. */
	RFS_POLICY_SINGLE = 8,
};

/* Counters of a policy that rfsup also reads, not only shows. Their keys mean the same in every policy. */
enum rfs_policy_counter {
	RFS_COUNTER_RACES,     /* races of the pair under test that the policy created and resolved */
	RFS_COUNTER_LIVELOCKS, /* threads that were resumed because they had been postponed for too long */
	RFS_COUNTER_COUNT
};

/* "races", "livelocks"; borrowed forever. */
const char *rfs_policy_counter_key(enum rfs_policy_counter counter);

/* A scheduling policy: one const table. Every function gets the state that init made. */
struct rfs_policy_ops {
	unsigned abi; /* RFS_POLICY_ABI */
	const char *name, *summary;
	unsigned flags; /* enum rfs_policy_flags */
	/* 0, or -EINVAL for an invalid option; nothing is then allocated. */
	int (*init)(void **state, const struct rfs_policy_args *args);
	/* Called with at least one thread that is enabled or can time out; *out is preset to thread -1, outcome done,
	 * waiter -1, hint 0, not steady, race -1, -1. 0, or -errno to give the run up. */
	int (*pick)(void *state, const struct rfs_view *view, struct rfs_choice *out);
	void (*event)(void *state, const struct rfs_event *event); /* optional */
	int (*save)(void *state, struct rfs_blob *blob);	   /* optional; caller frees blob->data */
	/* Optional: "key value" counters for reports, one call each; of enum rfs_policy_counter by their keys. */
	void (*stats)(void *state, void (*emit)(void *arg, const char *key, uint64_t value), void *arg);
	void (*fini)(void *state); /* optional */
};

/* One of the two accesses of a predicted race. */
struct rfs_race_access {
	rfs_site site;
	int thread;
	unsigned access; /* enum rfs_access_flags */
	rfs_addr address;
	uint64_t size;
	const rfs_addr *locks; /* held, borrowed during the report call */
	size_t n_locks;
};

/* One of many accesses that a thread made: what differs between their events RFS_EVENT_ACCESS. */
struct rfs_access {
	rfs_site site;
	rfs_addr address;
	uint64_t size;
	unsigned access; /* enum rfs_access_flags */
};

/* A detector: reads events, reports pairs. Each unordered pair of sites is reported once, the smaller site first. */
struct rfs_detector_ops {
	unsigned abi;
	const char *name, *summary;
	int (*init)(void **state, const struct rfs_policy_args *args);
	void (*event)(void *state, const struct rfs_event *event);
	/* Optional: replaces one call of event for each of these accesses of the thread, in this order. */
	void (*accesses)(void *state, int thread, const struct rfs_access *accesses, size_t n);
	void (*report)(void *state,
		       void (*emit)(void *arg, const struct rfs_race_access *a, const struct rfs_race_access *b),
		       void *arg);
	void (*fini)(void *state);
};

/* The modules built in. NULL: no such name. Lists end with NULL. Borrowed, valid forever. */
const struct rfs_policy_ops *rfs_policy_find(const char *name);
const struct rfs_policy_ops *const *rfs_policy_list(void);
const struct rfs_detector_ops *rfs_detector_find(const char *name);
const struct rfs_detector_ops *const *rfs_detector_list(void);

#endif
