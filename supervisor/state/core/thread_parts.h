/* thread_parts.h - parts of struct rfs_thread. Only the files that the comment of a part names use its members. */
#ifndef RFS_THREAD_PARTS_H
#define RFS_THREAD_PARTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

#include "disasm/addr.h"
#include "policy/operations.h"

struct rfs_evidence;
struct rfs_site_hook;
struct rfs_thread;

/* Whether a thread can be joined, and was. */
struct rfs_join_state {
	bool joined, detached;
	/* where a thread called the function that created it; 0: not known, or it was created detached */
	rfs_site created_at;
	bool left; /* it has ended by itself, not because the process ends */
};

/* run/stops/handlers.c: a signal handler as a thread, and what it does to the thread that it interrupts. */
struct rfs_handler_state {
	/* ---- of a handler ---- */
	int signo;		    /* 0: this is an ordinary thread */
	struct rfs_thread *on;	    /* the thread that it interrupts; NULL: the handler does not run */
	struct rfs_thread *last;    /* the thread that it interrupted last */
	bool begun;		    /* the kernel has delivered the signal */
	bool waited;		    /* the interrupted thread could not go on without a signal */
	rfs_addr rip;		    /* where the interrupted thread continues */
	rfs_addr entry;		    /* the function */
	rfs_addr frame;		    /* the stack pointer of the interrupted thread */
	uint64_t times;		    /* how often it has run */
	uint64_t operations;	    /* of the process when it ran last */
	unsigned long masks;	    /* the signals that it blocks (state/core/signal_mask.h) */
	unsigned misses;	    /* in a row, it did not reach the statement at which it was expected */
	struct rfs_evidence *meets; /* the interrupted thread at its statement of the pair; NULL: no race is expected */
	struct rfs_op met;	    /* with meets: the operation of that thread */
	bool after;		    /* with meets: that thread executes its operation before the handler begins */
	/* ---- of an ordinary thread, or of a handler that another one interrupts ---- */
	bool comes;		    /* its pending signal could have come at another moment */
	bool sent;		    /* its pending signal was sent, and not by a timer */
	bool stood;		    /* the signal ends its wait before an operation that is no access */
	struct rfs_thread *by;	    /* the handler that interrupts it now; NULL: none */
	struct rfs_thread *follows; /* the handler that runs right after the present statement; NULL: none */
};

/* What the call that creates a thread says of it (sync/pthread_thread.c). */
struct rfs_thread_start {
	rfs_addr routine; /* 0: unknown */
	struct rfs_join_state joining;
	bool own_stack; /* the C library has made the stack */
};

/* A call whose late ranges are known when it returns (access/calls/range_call.h). */
struct rfs_late_call {
	uint64_t number; /* 0: unused */
	struct rfs_site_hook *site;
	struct user_regs_struct regs; /* at the call */
};
#define RFS_LATE_CALLS 4 /* calls that are nested, in signal handlers or because one was left by longjmp() */
/* access/access.c: calls that write to the caller's memory shortly before they return. */
struct rfs_late_calls {
	struct rfs_late_call list[RFS_LATE_CALLS];
	uint64_t n; /* number of the last one */
};

/* A read that may be in a loop that waits, and what the read found last time (access/spin.c). */
struct rfs_spin_memory {
	rfs_site site;
	rfs_addr address;
	uint64_t size;
	uint64_t value, state; /* the value that was read last, and a hash of registers and stack at that time */
	uint64_t repeats;      /* how many times in a row the read has found this value */
};
#define RFS_SPIN_SITES 8

/* access/spin.c: the reads since the last visible operation. */
struct rfs_spin_state {
	struct rfs_spin_memory reads[RFS_SPIN_SITES];
	unsigned n;
	/* the last atomic instruction that the thread executed, and the value that it read */
	struct rfs_spin_memory last_atomic;
	uint64_t hits; /* accesses that stopped since the last visible operation */
};

/* access/word_locks.c: the thread lets others arrive at a word that it has acquired. */
struct rfs_contention {
	bool parks_after_step; /* it executes one instruction and parks, so that others arrive */
	uint64_t yields_until; /* until the run has made this many steps, other threads are preferred */
	bool yields_at_shared; /* this is at a word that several threads have used */
};

/* access/heap.c: the call of an allocator that the thread is in. */
struct rfs_heap_call {
	rfs_addr out_pointer; /* while in posix_memalign: where the function stores its result */
	/* the call that the current stub records describe: the place of its return address, and its value */
	rfs_addr frame, caller;
	uint64_t times; /* the last stub record of kind RFS_OPERAND_TIMES; UINT64_MAX: none */
	rfs_addr old;	/* while in realloc: the block that it was given; otherwise 0 */
};

/* gdb/: what the debugger has done with the thread. */
struct rfs_gdb_thread {
	/* which set of gdb's watchpoints the thread's debug registers have (member `watches` of struct rfs_gdb) */
	unsigned watches;
	/* where gdb has seen the thread, if a breakpoint there must not stop it again; 0: nowhere */
	rfs_addr seen;
	/* the breakpoint at which the thread has stopped, until it is resumed; 0: none */
	rfs_addr hit;
	/* there was a choice since the thread was created: before, it may or may not have begun */
	bool known;
	/* while the debugger steps the thread: where the step began; 0: in the kernel */
	bool stepped;
	rfs_addr step_from;
};

/* run/stops/watchdog.c: what the thread did since its last visible operation. The watchdog acts when a count reaches
 * its `wait`. */
struct rfs_watch_counts {
	/* how often the thread's stub records filled the buffer, and how often it dropped the same number of accesses
	 */
	unsigned full, full_wait, quiet, quiet_wait;
	bool unfiltered; /* all its accesses are recorded until its next stop, so that the watchdog sees them */
};

/* sync/openmp_team.c: where the thread is in OpenMP's constructs. */
struct rfs_openmp_thread {
	/* its place in the team that it is in (size 0: in none), and in the last one that it was in */
	struct rfs_team_place {
		uint32_t number, size;
	} team, last_team;
	/* the work-sharing construct: the place of the call that started it, and the dimensions of a doacross loop */
	rfs_addr shared;
	unsigned dimensions;
};

#endif
