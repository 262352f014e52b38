/*
 * policy.h - the only header that the author of a scheduling policy or race detector needs.
 *
 * A controlled run is a loop (Sen, ASE 2007, figure 3). Every live thread except the running one is parked right before
 * its next visible operation. The policy picks a thread, which runs to its next one. Policies and detectors are pure:
 * they use no process, clock or global state, and draw only from their own seeded generator. So a seed gives one run.
 */
#ifndef RFS_POLICY_H
#define RFS_POLICY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* these two are in the same folder */
#include "operations.h"
#include "results.h"

#define RFS_POLICY_ABI 2u

enum rfs_thread_flags {
	RFS_THREAD_ENABLED = 1,
	RFS_THREAD_CAN_TIME_OUT = 2, /* its timeout may be chosen as the outcome, whether enabled or not */
	RFS_THREAD_YIELDED = 4,	     /* it gave up its turn, and no other thread has run since */
	RFS_THREAD_SLEEPS = 8,	     /* can run only if virtual time passes first */
	RFS_THREAD_READY = 16,	     /* only with CAN_TIME_OUT: the operation can also complete now */
	RFS_THREAD_WOKEN = 32, /* COND_WAKE, FUTEX_SLEEP: has its signal, wake or timeout; as waiter it would lose it */
	RFS_THREAD_CAN_FAIL = 64, /* its operation may have a fault (--faults) */
};

struct rfs_thread_view {
	int thread;	     /* number in order of creation, from 0; not reused in a run */
	unsigned flags;	     /* enum rfs_thread_flags */
	struct rfs_op next;  /* NextStmt(s, t) in the papers */
	uint64_t lock_class; /* the lock that next acquires: its static symbol, or allocation site and offset; or 0 */
	const struct rfs_cycle_place *cycle; /* for the built-in policies: its place in the deadlock under test */
	uint64_t due; /* the virtual time at which its sleep or timeout ends; UINT64_MAX: it has none */
};

/* The state in which a policy chooses. All pointers are borrowed during the call. */
struct rfs_view {
	uint64_t step;			       /* visible operations executed so far */
	size_t n_threads;		       /* all live threads, Alive(s) in the papers */
	const struct rfs_thread_view *threads; /* ascending by thread */
	/* Up to max return addresses of a stack, innermost first; before START, the start routine. NULL: unknown. */
	size_t (*stack)(const struct rfs_view *view, int thread, rfs_addr *out, size_t max);
	/* A number of a function, the same in every run; 0: unknown, or in the C or C++ library; or NULL. */
	uint64_t (*function)(const struct rfs_view *view, rfs_addr address);
	bool time_can_pass;  /* a sleep, timeout or timer is due later: RFS_TIME_PASSES is a choice */
	uint64_t time, due;  /* virtual nanoseconds: now, and if time can pass, to when */
	uint64_t sleep_race; /* --sleep-race: so much time may pass while a policy holds a thread that could run */
	bool outside;	     /* a load driver or a client may still wake a thread: RFS_OUTSIDE_ACTS is a choice */
};
#define RFS_TIME_PASSES (-2)  /* a choice of no thread: virtual time passes to the next of these */
#define RFS_OUTSIDE_ACTS (-3) /* a choice of no thread: the outside gets a moment of real time */
#define RFS_STORE_BUFFER 1024 /* the store buffer of thread n is thread RFS_STORE_BUFFER + n: rfsup-policy(7) */

struct rfs_choice {
	int thread; /* must be enabled, or able to time out if that is the outcome; or one of the two above */
	enum rfs_outcome outcome;
	int waiter; /* the thread that a signal or a wake resumes; -1: the one that has waited longest */
	/* How many more operations this thread executes without a call of pick; event may be called for them only
	 * before the next pick. The hint ends if it is not enabled, sleeps, yields, can fail or can only time out. */
	uint32_t hint;
	/* A steady hint also ends if another thread appears, or becomes able or unable to run, or if the next operation
	 * needs a choice of waiter, outcome or race. Set it if the choice depends on nothing else. */
	bool steady;
	int race[2]; /* the race that this choice resolves: two threads at its statements, or -1, -1; checked */
};

struct rfs_policy_args {
	uint64_t seed;
	const char *options;	     /* "key=value,key=value"; NULL or "": none; borrowed during init */
	const struct rfs_blob *blob; /* what the previous run saved; NULL: nothing; borrowed during init */
	uint64_t memory;	     /* detectors: how many bytes past accesses may need; 0: no limit */
};

enum rfs_policy_flags {
	RFS_POLICY_NEEDS_BLOB = 1,   /* each run uses what the previous run saved */
	RFS_POLICY_NEEDS_PAIR = 2,   /* reads op.statements, so a pair must be under test */
	RFS_POLICY_NEEDS_HEAP = 4,   /* reads lock_class or cycle, so allocations must be tracked */
	RFS_POLICY_SINGLE = 8,	     /* pick may be left out if one thread is to choose: it draws and learns nothing */
	RFS_POLICY_NEEDS_CYCLE = 16, /* reads cycle, so a deadlock must be under test */
	RFS_POLICY_NEEDS_VIOLATION = 32, /* a predicted atomicity or order violation must be under test, as the pair */
	RFS_POLICY_CHOOSES_FAULTS = 64,	 /* a choice's outcome says whether the operation has a fault */
	RFS_POLICY_NEEDS_CALLS = 128,	 /* a claim rests on its runs: system calls that affect each other are noted */
};
/* A scheduling policy: one const table. Each function gets the state that init made. */
struct rfs_policy_ops {
	unsigned abi; /* RFS_POLICY_ABI */
	const char *name, *summary;
	unsigned flags; /* enum rfs_policy_flags */
	/* Returns 0, or -EINVAL for an invalid option and leaves nothing allocated. */
	int (*init)(void **state, const struct rfs_policy_args *args);
	/* A thread can run or time out. *out is preset: -1 for threads, else 0. Returns 0, or -errno to end the run. */
	int (*pick)(void *state, const struct rfs_view *view, struct rfs_choice *out);
	void (*event)(void *state, const struct rfs_event *event); /* optional */
	int (*save)(void *state, struct rfs_blob *blob);	   /* optional; caller frees blob->data */
	/* Optional: calls emit for each counter of the report. Those of enum rfs_policy_counter use their key. */
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
	const rfs_addr *locks; /* locks that the thread held; borrowed during the call of emit */
	size_t n_locks;
	/* equal in both: whenever the detector saw such accesses, locks or atomic accesses kept them in order */
	bool ordered;
};
/* One of several accesses of one thread: the part that differs between their RFS_EVENT_ACCESS events. */
struct rfs_access {
	rfs_site site;
	rfs_addr address;
	uint64_t size;
	unsigned access; /* enum rfs_access_flags */
};
/* A detector: reads events, reports pairs. It reports each unordered pair of sites once, the smaller site first. */
struct rfs_detector_ops {
	unsigned abi;
	const char *name, *summary;
	int (*init)(void **state, const struct rfs_policy_args *args);
	void (*event)(void *state, const struct rfs_event *event);
	/* optional: n accesses of a thread, in order, instead of n calls of event */
	void (*accesses)(void *state, int thread, const struct rfs_access *accesses, size_t n);
	void (*report)(void *state,
		       void (*emit)(void *arg, const struct rfs_race_access *a, const struct rfs_race_access *b),
		       void *arg);
	void (*fini)(void *state);
	/* only in built-in detectors, otherwise NULL */
	const struct rfs_detector_passes *passes;
	struct rfs_detector_memory (*memory)(const void *state);
};

#endif
