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
	RFS_STATE_EMBRYO, /* clone was reported, the first stop is still to come */
	RFS_STATE_PARKED,
	RFS_STATE_RUNNING,
	RFS_STATE_KERNEL, /* in a system call that did not return */
	RFS_STATE_ENDED,
};

/*
 * What becomes of a thread that a handler has dealt with. Handlers change the model and the thread's registers; they
 * neither resume a task nor wait for one: that is done in run/ (rfs_resume(), rfs_wait()), with this answer.
 */
enum rfs_then {
	RFS_THEN_UNDECIDED,    /* not this handler's affair: the caller goes on */
	RFS_THEN_EXECUTE,      /* runs on from where it is now */
	RFS_THEN_DELIVER,      /* runs on with the signal thread->pending_signo */
	RFS_THEN_STOP_AT_EXIT, /* runs the system call that it is in, which comes back at once, and stops at its exit */
	RFS_THEN_SLEEP,	       /* the same for a call that may wait in the kernel */
	RFS_THEN_SETTLE,       /* runs on once all that its call may have woken have come to rest */
	RFS_THEN_STEP,	       /* executes one instruction */
	RFS_THEN_PARKED,       /* is parked, or gone */
	RFS_THEN_END,	       /* the run has ended */
};

/* Flags of enum rfs_thread_flags for the operation that the thread is parked before. */
typedef unsigned (*rfs_ready_fn)(struct rfs_run *run, struct rfs_thread *thread);
/* Executes it: afterwards the thread runs, or is parked before another one. */
typedef enum rfs_then (*rfs_go_fn)(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice);

/* An intercepted function came back to its caller with this value. */
struct rfs_pending_return;
/* value: what the function returned */
typedef void (*rfs_return_fn)(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_pending_return *watch,
			      uint64_t value);

struct rfs_pending_return {
	rfs_addr address, rsp; /* where it comes back to, with what stack pointer */
	rfs_return_fn returned;
	uint64_t arg;
};

/* The call of a condition wait that we carry out for the target (pthread_cond.c). */
struct rfs_cond_call {
	bool released, timed_out, cancelled;
	rfs_addr cond, mutex;
	rfs_addr function, back; /* what was called, and where it returns to */
	uint64_t deadline;	 /* virtual; RFS_NEVER if it has none */
};

/* Part of one access of an instruction or a range call (access.c). */
struct rfs_part {
	rfs_addr address;
	uint64_t size;
	unsigned access;
};
#define RFS_PARTS_MAX 20

/* The statement that a thread is in the middle of. */
struct rfs_access_state {
	struct rfs_site_hook *site;
	struct rfs_part part[RFS_PARTS_MAX];
	unsigned n_parts, at;
	int finish;	       /* enum finish in access.c */
	unsigned length, unit; /* bytes of the instruction, of one element */
	uint64_t result;       /* what a call that we carry out returns */
	unsigned char fill;
	unsigned char *data; /* what the last reading part read; owned */
	size_t data_size;
};

struct rfs_spin_memory {
	rfs_site site;
	rfs_addr address;
	uint64_t size;
	uint64_t value, state; /* value read there last; hash of registers and stack then */
	uint64_t repeats;      /* in a row with the same value */
};
#define RFS_SPIN_SITES 8

/* What names that mean the same in every run are made of (partial_order.c). */
struct rfs_thread_names {
	uint64_t self;
	uint64_t children, blocks, operations; /* threads and blocks that it made so far, and what it executed */
	bool creates;			       /* executed a CREATE; the new thread is still to come */
};

struct rfs_thread {
	int number;
	struct rfs_task *task; /* NULL once ended */
	pid_t tid;	       /* as the target sees it (pids.c) */
	enum rfs_thread_state state;
	struct rfs_thread *creator;
	struct rfs_thread_names names;

	struct rfs_op next; /* PARKED: what it is parked before */
	rfs_ready_fn ready;
	rfs_go_fn go;
	unsigned flags;	       /* as last computed for the view */
	unsigned steady_flags; /* … and for the choice that gave run->hint, where that is steady */
	bool yielded;	       /* gave up its turn; cleared when another thread moves */

	uint64_t lock_class; /* of next, where the policy wants it and next is an acquisition; 0: not computed yet */
	rfs_addr routine;    /* its start routine, 0: unknown */
	rfs_addr creates;    /* the start routine of the thread that it is about to create */

	uint64_t tls; /* pthread_t: the thread pointer */
	rfs_addr stack_low, stack_high;
	rfs_addr clear_tid; /* the kernel clears and wakes it at the end */
	int pending_signo;  /* held back at its delivery until its turn */
	bool at_syscall;    /* stands at the entry of a system call, not at an instruction */

	struct rfs_sync_thread sync; /* the locks that it holds, and what it waits for */
	struct rfs_pending_return *returns;
	size_t n_returns;
	struct rfs_cond_call cond_call;
	struct rfs_access_state access;
	struct rfs_spin_memory spin[RFS_SPIN_SITES];
	unsigned n_spin;
	struct rfs_spin_memory last_atomic; /* the last atomic instruction and what it found */
	rfs_addr out_pointer;		    /* posix_memalign: where the result goes */
	rfs_addr frame, caller;		    /* of the function's entry or return that its records tell of */
	uint64_t times;			    /* RFS_OPERAND_TIMES of the entry, UINT64_MAX: none */
	unsigned watches;		    /* gdb's watchpoints that its debug registers hold, as a count of changes */
	rfs_addr stepped_to;		    /* gdb has seen it there after a step, before the breakpoint; 0: no */
	uint64_t operations;		    /* visible ones, executed */
	unsigned full, full_wait; /* times that its records filled the buffer, and before it is looked at again; since
				   * the last visible operation */
	uint64_t hits;		  /* accesses that were no visible operation, since the last that was */

	/* SYSCALL, SLEEP, FUTEX: the call that it is in */
	long syscall;		     /* its number */
	unsigned long args[6];	     /* also the parked library call's own notes */
	struct rfs_call_state *call; /* owned; what else kernel/ keeps about it */
	uint64_t deadline;	     /* virtual; RFS_NEVER */
};

/* tid: as the target sees it. creator: NULL if it is not known (yet). Belongs to the run. */
struct rfs_thread *rfs_thread_new(struct rfs_run *run, struct rfs_task *task, pid_t tid, struct rfs_thread *creator);
/* It turns out, or is known from the beginning, who created the thread; NULL: nobody. */
void rfs_thread_adopt(struct rfs_thread *thread, struct rfs_thread *creator);
void rfs_thread_ended(struct rfs_run *run, struct rfs_thread *thread);
/* Its call stack, innermost first, at most max addresses; see rfs_task_stack(). */
size_t rfs_thread_stack(const struct rfs_thread *thread, rfs_addr *out, size_t max);
struct rfs_thread *rfs_thread_by_tid(const struct rfs_run *run, pid_t tid);
struct rfs_thread *rfs_thread_by_tls(const struct rfs_run *run, uint64_t tls);
bool rfs_thread_has_stack_at(const struct rfs_thread *thread, rfs_addr address);
/* Whose stack the address is on, NULL: nobody's. The C library gives an ended thread's stack to a new one, so that
 * several threads may have had it. */
enum rfs_stack_owner { RFS_STACK_FIRST_OWNER, RFS_STACK_LAST_OWNER };
struct rfs_thread *rfs_thread_by_stack(const struct rfs_run *run, rfs_addr address, enum rfs_stack_owner which);
/* It waits for a signal, or for the mutex after one: at trampoline 0, in the frame that cond_call.back is in. */
bool rfs_cond_asleep(const struct rfs_thread *thread);
void rfs_access_drop(struct rfs_thread *thread);

#endif
