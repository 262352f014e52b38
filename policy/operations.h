/*
 * operations.h - what the threads of a target do: operations, accesses, and the events that detectors read.
 *
 * policy.h includes this file, so the author of a policy or detector does not include it.
 */
#ifndef RFS_OPERATIONS_H
#define RFS_OPERATIONS_H
#include <stdint.h>

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
	RFS_OP_SEM_VALUE,      /* sem_getvalue */
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
	RFS_ACCESS_LEARNS = 128, /* an atomic that reads a pointer, or a count at zero: it learns what others did */
	RFS_ACCESS_TELLS = 256,	 /* an atomic that changes bits, exchanges, or has found a constant: others may learn */
	RFS_ACCESS_TAKES = 512,	 /* a compare-exchange that has found a constant, or failed */
	RFS_ACCESS_FLUSH = 1024, /* a delayed store becomes visible; the op of a store buffer (RFS_STORE_BUFFER) */
	RFS_ACCESS_CALL = 2048,	 /* made by a system call; in a run, RFS_ACCESS_CALL_SHIFT says which one */
	RFS_ACCESS_LIBRARY = 4096, /* to data that a function of the C library keeps to itself: they have no value */
};

/* With RFS_ACCESS_CALL, the bits from here on are the number of the call plus 1; 0: not known. */
#define RFS_ACCESS_CALL_SHIFT 16

struct rfs_op {
	enum rfs_op_kind kind;
	/* rfs_access_flags of an access; READ: shared UNLOCK, JOIN that never waits; WRITE: TRYLOCK of a writer, who
	 * then waits for the lock if other threads hold it; START: the signal of a handler; or a fault */
	unsigned access;
	unsigned statements; /* bit 0: site is in the first statement of the pair under test; bit 1: in the second */
	int peer;	     /* the number of another thread, or -1: see the kinds */
	rfs_site site;	     /* the accessing instruction, or the return address of the call */
	rfs_addr object;     /* lock, condition variable, semaphore, futex word, accessed address; 0 if none */
	rfs_addr object2;    /* the mutex of a condition wait */
	uint64_t size;	     /* bytes accessed */
};

enum rfs_outcome {
	RFS_OUTCOME_DONE,      /* the operation completes */
	RFS_OUTCOME_TIMED_OUT, /* only for a thread with RFS_THREAD_CAN_TIME_OUT */
	RFS_OUTCOME_FAULT,     /* for RFS_THREAD_CAN_FAIL; rfsup decides it, or a policy that CHOOSES_FAULTS */
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

#endif
