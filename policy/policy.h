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
#define RFS_POLICY_ABI 2u

typedef uint64_t rfs_addr; /* an address in the target, never a pointer of rfsup itself */
/* The number of one instruction of the target; 0 if unknown. In one run, equal (module, offset) have equal numbers. */
typedef uint64_t rfs_site;

/* The kinds of operations. Each comment says what a thread with this next operation is about to do. */
enum rfs_op_kind {
	RFS_OP_NONE,
	RFS_OP_START,	    /* executes the first instruction of a new thread */
	RFS_OP_CREATE,	    /* pthread_create and similar functions; peer is unknown until the operation was executed */
	RFS_OP_EXIT,	    /* ends the thread */
	RFS_OP_JOIN,	    /* waits for the end of thread peer; -1: a thread that rfsup never saw */
	RFS_OP_KILL,	    /* sends a signal or cancels; peer: the receiving thread, -1: a process or unknown */
	RFS_OP_LOCK,	    /* acquires a mutex */
	RFS_OP_RDLOCK,	    /* acquires a readers-writer lock, shared */
	RFS_OP_WRLOCK,	    /* acquires a readers-writer lock, exclusively */
	RFS_OP_TRYLOCK,	    /* tries to acquire a lock: never blocks, may fail */
	RFS_OP_UNLOCK,	    /* releases a lock of any of these kinds */
	RFS_OP_COND_WAIT,   /* object: the condition variable, object2: the mutex, which it releases; then it sleeps */
	RFS_OP_COND_WAKE,   /* asleep on object; once signalled or timed out, locks object2 again */
	RFS_OP_COND_SIGNAL, /* wakes one waiter */
	RFS_OP_COND_BROADCAST,
	RFS_OP_SEM_WAIT,
	RFS_OP_SEM_TRYWAIT,
	RFS_OP_SEM_POST,
	RFS_OP_BARRIER_WAIT,  /* arrives at the barrier; may learn that it is the last one */
	RFS_OP_BARRIER_LEAVE, /* leaves it; enabled once the last thread has arrived */
	RFS_OP_ONCE,	      /* pthread_once, call_once, static-local guards */
	RFS_OP_DESTROY,	      /* pthread_*_destroy, sem_destroy */
	RFS_OP_FUTEX_WAIT,    /* the system call: returns at once if the value differs, otherwise the thread sleeps */
	RFS_OP_FUTEX_SLEEP,   /* asleep on object; enabled by a wake, its timeout or a signal */
	RFS_OP_FUTEX_WAKE,
	RFS_OP_YIELD,	       /* sched_yield, pause in a loop */
	RFS_OP_SLEEP,	       /* sleeps until a moment in virtual time */
	RFS_OP_ACCESS,	       /* a memory access; object: its address */
	RFS_OP_SPIN_READ,      /* a read in a spin loop; enabled once a value that the loop reads has changed */
	RFS_OP_SYSCALL,	       /* a system call that may block; enabled when it would not */
	RFS_OP_KERNEL,	       /* is inside a system call that has not returned; never enabled */
	RFS_OP_BARRIER_ARRIVE, /* the same, in an order that does not matter; BARRIER_LEAVE follows for all */
	RFS_OP_POINT,	       /* a mark of rfsup.h: does nothing that another thread notices */
	RFS_OP_COUNT
};

/* A short lower-case name such as "cond-wait", never freed; "?" for a value out of range. */
const char *rfs_op_name(enum rfs_op_kind kind);
enum rfs_access_flags {
	RFS_ACCESS_READ = 1,
	RFS_ACCESS_WRITE = 2,
	RFS_ACCESS_ATOMIC = 4, /* lock prefix, xchg with memory */
	RFS_ACCESS_RMW = 8,    /* one half of a read-modify-write without lock prefix; READ or WRITE says which half */
	RFS_ACCESS_RANGE = 16, /* memcpy and similar functions, rep string instructions; size: the rest of the range */
	RFS_ACCESS_FREE = 32,  /* free of a heap block: a write to all of it */
	RFS_ACCESS_ALIGNED_MOVE = 64, /* a plain aligned move of 1 to 8 bytes: maybe a compiled acquire or release */
	RFS_ACCESS_LEARNS = 128,      /* an atomic that reads a pointer, or a count at zero (access/atomic_learns.h) */
	RFS_ACCESS_TELLS = 256,	 /* an atomic that changes bits, exchanges, or has found a constant (the same file) */
	RFS_ACCESS_TAKES = 512,	 /* a compare-exchange that has found a constant, or failed (the same file) */
	RFS_ACCESS_FLUSH = 1024, /* a delayed store becomes visible; the op of a store buffer (RFS_STORE_BUFFER) */
};

struct rfs_op {
	enum rfs_op_kind kind;
	unsigned access;     /* rfs_access_flags of an access; READ: shared UNLOCK, JOIN that never waits; or a fault */
	unsigned statements; /* bit 0: site is in the first statement of the pair under test; bit 1: in the second */
	int peer;	     /* the number of another thread, or -1: see the kinds */
	rfs_site site;	     /* the accessing instruction, or the return address of the call */
	rfs_addr object;     /* lock, condition variable, semaphore, futex word, accessed address; 0 if none */
	rfs_addr object2;    /* the mutex of a condition wait */
	uint64_t size;	     /* bytes accessed */
};

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
	const struct rfs_cycle_place *cycle; /* where it is in the deadlock under test (core/cycle_place.h) or NULL */
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

enum rfs_outcome {
	RFS_OUTCOME_DONE,      /* the operation completes */
	RFS_OUTCOME_TIMED_OUT, /* only for a thread with RFS_THREAD_CAN_TIME_OUT */
	RFS_OUTCOME_FAULT,     /* for RFS_THREAD_CAN_FAIL; unless the policy CHOOSES_FAULTS, rfsup decides it */
};

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

enum rfs_event_kind {
	RFS_EVENT_OP,	   /* thread has executed op with this outcome */
	RFS_EVENT_ACCESS,  /* a memory access: op.object, op.size, op.access, op.site */
	RFS_EVENT_ACQUIRE, /* thread now holds op.object; op.kind: LOCK, WRLOCK (exclusive) or RDLOCK (shared) */
	RFS_EVENT_RELEASE, /* thread gave up one hold of op.object */
	/* What precedes SEND happens before what follows a RECEIVE of the same message. If op.size is not 0, SEND also
	 * sets the word op.object (a C++ guard). A plain read of it receives the message too. */
	RFS_EVENT_SEND,
	RFS_EVENT_RECEIVE,
	RFS_EVENT_FORGET,    /* no thread receives the message after this; its number may be reused */
	RFS_EVENT_RESET,     /* this memory (op.object, op.size) gets a new use: malloc, a new stack */
	RFS_EVENT_THREAD,    /* a new thread; op.peer: its creator, -1 for the first thread */
	RFS_EVENT_LAST_DROP, /* thread is the last user of this memory; op.object2: the atomic count or flag */
	RFS_EVENT_LEFT,	     /* to policies: the run ends in a deadlock, and thread is parked before op */
};

struct rfs_event {
	enum rfs_event_kind kind;
	enum rfs_outcome outcome;
	int thread;
	uint64_t message; /* number of the message; several SENDs of it join, and many threads may receive it */
	struct rfs_op op;
};

/* Bytes that one run of a policy saves for the next one. data comes from malloc(); the owner of the struct frees it. */
struct rfs_blob {
	void *data;
	size_t size;
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
/* Counters of a policy that rfsup itself reads. Their keys mean the same in every policy. */
enum rfs_policy_counter {
	RFS_COUNTER_RACES,     /* created and resolved races of the pair under test */
	RFS_COUNTER_LIVELOCKS, /* threads let go because they were postponed for too long */
	RFS_COUNTER_COUNT
};

const char *rfs_policy_counter_key(enum rfs_policy_counter counter); /* such as "races"; never freed */
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
	const struct rfs_detector_passes *passes;		 /* optional (passes.h) */
	struct rfs_detector_memory (*memory)(const void *state); /* optional (detector_memory.h) */
};

/* The built-in ones. find: NULL if there is no such name. Lists end with NULL and are never freed. */
const struct rfs_policy_ops *rfs_policy_find(const char *name);
const struct rfs_policy_ops *const *rfs_policy_list(void);
const struct rfs_detector_ops *rfs_detector_find(const char *name);
const struct rfs_detector_ops *const *rfs_detector_list(void);

#endif
