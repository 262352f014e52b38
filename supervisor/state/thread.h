/* thread.h - the threads of a run: their state, their next operation, and what a handler decides for them. */
#ifndef RFS_THREAD_H
#define RFS_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/model/sync.h"

struct rfs_thread;
struct rfs_run;
struct rfs_call_state;
struct rfs_choice;
struct rfs_site_hook;
struct rfs_task;
struct rfs_op;

enum rfs_thread_state {
	RFS_STATE_EMBRYO, /* clone was reported; the thread's first stop has not come yet */
	RFS_STATE_PARKED,
	RFS_STATE_RUNNING,
	RFS_STATE_KERNEL, /* in a system call that has not returned */
	RFS_STATE_ENDED,
};

/*
 * What a handler decides for its thread. Handlers change the model and the thread's registers. They never resume a task
 * or wait for one: run/ does that, according to this decision (rfs_resume(), rfs_pump()).
 */
enum rfs_then {
	RFS_THEN_UNDECIDED,    /* the handler does not deal with this: the caller continues */
	RFS_THEN_EXECUTE,      /* continues from where it is now */
	RFS_THEN_DELIVER,      /* continues with the signal thread->pending_signo */
	RFS_THEN_STOP_AT_EXIT, /* executes the system call that it is in, which returns at once, and stops at its exit
				*/
	RFS_THEN_SLEEP,	       /* the same for a call that may block in the kernel */
	RFS_THEN_SETTLE,       /* continues once all threads that its call may have woken are quiescent */
	RFS_THEN_STEP,	       /* executes one instruction */
	RFS_THEN_PARKED,       /* is parked, or has ended */
	RFS_THEN_END,	       /* the run has ended */
};

/* Computes the flags (enum rfs_thread_flags) of the operation that the thread is parked at. */
typedef unsigned (*rfs_ready_fn)(struct rfs_run *run, struct rfs_thread *thread);
/* Executes that operation. Afterwards the thread runs, or is parked at another operation. */
typedef enum rfs_then (*rfs_go_fn)(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice);

/* Called when an intercepted function has returned to its caller. */
struct rfs_pending_return;
/* value: what the function returned */
typedef void (*rfs_return_fn)(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_pending_return *watch,
			      uint64_t value);

/* A function whose return stops the thread. */
struct rfs_pending_return {
	rfs_addr address, rsp; /* the return address, and the stack pointer after the return */
	rfs_return_fn returned;
	uint64_t arg;
};

/* The call of a condition wait that rfsup carries out for the target (sync/pthread_cond.c). */
struct rfs_cond_call {
	bool released, timed_out, cancelled;
	rfs_addr cond, mutex;
	rfs_addr function, back; /* the function that was called, and its return address */
	uint64_t deadline;	 /* virtual time; RFS_NEVER: none */
};

/* Part of one access of an instruction or a range call (access/access.c). */
struct rfs_part {
	rfs_addr address;
	uint64_t size;
	unsigned access;
};
#define RFS_PARTS_MAX 20

/* The state of the statement that a thread is executing. */
struct rfs_access_state {
	struct rfs_site_hook *site;
	struct rfs_part part[RFS_PARTS_MAX];
	unsigned n_parts, at;
	int finish;	       /* enum finish in access/access.c */
	unsigned length, unit; /* bytes of the instruction; bytes of one element */
	uint64_t result;       /* what a range call that rfsup carries out returns */
	unsigned char fill;
	unsigned char *data; /* what the last reading part read; owned */
	size_t data_size;
};

/* What a read in a loop found last time. */
struct rfs_spin_memory {
	rfs_site site;
	rfs_addr address;
	uint64_t size;
	uint64_t value, state; /* the value that was read last; the hash of registers and stack at that time */
	uint64_t repeats;      /* how often in a row it found the same value */
};
#define RFS_SPIN_SITES 8

/* What the names of the thread and its objects are made of (partial_order.c). */
struct rfs_thread_names {
	uint64_t self;
	uint64_t children, blocks,
		operations; /* numbers of threads and blocks that it created, and of operations that it executed */
	bool creates;	    /* executed a CREATE whose new thread is not known yet */
};

/* One controlled thread of the target. */
struct rfs_thread {
	int number;
	struct rfs_task *task; /* NULL once it has ended */
	pid_t tid;	       /* as the target sees it (kernel/pids.c) */
	enum rfs_thread_state state;
	struct rfs_thread *creator;
	struct rfs_thread_names names;

	struct rfs_op next; /* PARKED: the operation that it is parked at */
	rfs_ready_fn ready;
	rfs_go_fn go;
	unsigned flags;	       /* as last computed for the view */
	unsigned steady_flags; /* flags at the choice that gave run->hint, if the hint depends on the other threads */
	bool yielded;	       /* it gave up its turn; cleared when another thread executes an operation */

	uint64_t lock_class; /* of next, if the policy needs it and next acquires a lock; 0: not computed yet */
	rfs_addr routine;    /* its start routine; 0: unknown */
	rfs_addr creates;    /* the start routine of the thread that it is about to create */

	uint64_t tls; /* pthread_t, which is the thread pointer */
	rfs_addr stack_low, stack_high;
	rfs_addr clear_tid; /* the kernel clears and wakes this word when the thread ends */
	int pending_signo;  /* a signal that waits until the thread's turn; 0: none */
	/* RUNNING, but stopped at the exit of a call until the threads that the call woke are quiescent. Several
	 * threads can settle at a time: those that came back from calls that rfsup does not schedule. */
	bool settles;
	bool at_syscall; /* at the entry of a system call, not at an instruction */

	struct rfs_sync_thread sync; /* the locks that it holds, and what it waits for */
	struct rfs_pending_return *returns;
	size_t n_returns;
	struct rfs_cond_call cond_call;
	struct rfs_access_state access;
	struct rfs_spin_memory spin[RFS_SPIN_SITES];
	unsigned n_spin;
	struct rfs_spin_memory last_atomic; /* the last atomic instruction, and what it found */
	rfs_addr out_pointer;		    /* posix_memalign: where the result is stored */
	rfs_addr frame, caller;		    /* of the function's entry or return that its records describe */
	uint64_t times;			    /* RFS_OPERAND_TIMES of the entry; UINT64_MAX: none */
	unsigned watches;	  /* the count of changes at which its debug registers got gdb's watchpoints */
	rfs_addr stepped_to;	  /* gdb has seen it here after a step, before the breakpoint was met; 0: no */
	uint64_t operations;	  /* visible operations that it executed */
	unsigned full, full_wait; /* how often its records filled the buffer since the last visible operation, and the
				     number before the next analysis */
	uint64_t hits;		  /* accesses since the last visible operation */

	/* The work-sharing construct of OpenMP that it is in, by the place of its start, and the dimensions of its
	 * loop. */
	rfs_addr shared;
	unsigned dimensions;

	/* SYSCALL, SLEEP, FUTEX: the call that the thread is in. */
	long syscall;		     /* its number */
	unsigned long args[6];	     /* the call's arguments; handlers of library calls store notes here */
	struct rfs_call_state *call; /* owned; what else kernel/ knows of the call */
	uint64_t deadline;	     /* virtual time; RFS_NEVER: none */
};

/* Adds a thread. tid: as the target sees it. creator: NULL if it is not known yet. Belongs to the run. */
struct rfs_thread *rfs_thread_new(struct rfs_run *run, struct rfs_task *task, pid_t tid, struct rfs_thread *creator);
/* Sets who created the thread, which may be known only later. NULL: no thread. */
void rfs_thread_adopt(struct rfs_thread *thread, struct rfs_thread *creator);
/* The thread has ended. Releases what other threads could wait for. */
void rfs_thread_ended(struct rfs_run *run, struct rfs_thread *thread);
/* Its call stack, innermost first, at most max addresses. Returns how many; see rfs_task_stack(). */
size_t rfs_thread_stack(const struct rfs_thread *thread, rfs_addr *out, size_t max);
/* The live thread with this tid, and the newest thread with this thread pointer. NULL: none. */
struct rfs_thread *rfs_thread_by_tid(const struct rfs_run *run, pid_t tid);
struct rfs_thread *rfs_thread_by_tls(const struct rfs_run *run, uint64_t tls);
/* Whether the address is on the thread's stack. */
bool rfs_thread_has_stack_at(const struct rfs_thread *thread, rfs_addr address);
/*
 * The thread whose stack the address is on; NULL: none. The C library gives an ended thread's stack to a new thread, so
 * several threads may have had it.
 */
enum rfs_stack_owner { RFS_STACK_FIRST_OWNER, RFS_STACK_LAST_OWNER };
struct rfs_thread *rfs_thread_by_stack(const struct rfs_run *run, rfs_addr address, enum rfs_stack_owner which);
/*
 * Whether the thread is parked in a condition wait, for a signal or for the mutex. It is then at trampoline 0, in the
 * frame that contains cond_call.back.
 */
bool rfs_cond_asleep(const struct rfs_thread *thread);
/* Forgets the statement that the thread was executing, and frees its data. */
void rfs_access_drop(struct rfs_thread *thread);

#endif
