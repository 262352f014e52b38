/* thread.h - the threads of a run: their state, their next operation, and what a handler decides for them. */
#ifndef RFS_THREAD_H
#define RFS_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "disasm/addr.h"
#include "policy/operations.h"
#include "supervisor/model/sync.h"
#include "supervisor/state/core/thread_parts.h"

struct rfs_thread;
struct rfs_run;
struct rfs_stack_frame;
struct rfs_call_state;
struct rfs_choice;
struct rfs_breakpoint;
struct rfs_site_hook;
struct rfs_task;

/* A flag of struct rfs_thread that policies do not see: only a pending signal enables the thread. */
#define RFS_THREAD_BY_SIGNAL (1u << 31)

enum rfs_thread_state {
	RFS_STATE_EMBRYO, /* the creator's clone call was reported; the new thread has not stopped yet */
	RFS_STATE_PARKED,
	RFS_STATE_RUNNING,
	RFS_STATE_KERNEL, /* in a system call that has not returned */
	RFS_STATE_ENDED,
};

/*
 * What a handler decides for its thread. A handler changes the model and the thread's registers. It never resumes a
 * task and never waits for one. rfs_resume() and rfs_pump() in supervisor/run/ do that.
 *
 * Each comment below says what happens to the thread.
 */
enum rfs_then {
	RFS_THEN_UNDECIDED, /* not decided: the handler leaves the decision to its caller */
	RFS_THEN_EXECUTE,   /* it runs from where its registers say */
	RFS_THEN_DELIVER,   /* it runs, and gets the signal thread->pending_signo */
	/* it executes its system call, which returns at once, and stops at the exit of the call */
	RFS_THEN_STOP_AT_EXIT,
	RFS_THEN_SLEEP,	 /* it executes its system call, which may block, and stops at the exit of the call */
	RFS_THEN_SETTLE, /* it runs once all threads that its call may have woken are quiescent */
	RFS_THEN_STEP,	 /* it executes one instruction */
	RFS_THEN_LEAVE,	 /* it executes its call of exit(2) */
	RFS_THEN_PARKED, /* nothing: it is parked, has ended, or is in the kernel */
	RFS_THEN_END,	 /* nothing: the run has ended */
};

/* Computes the flags (enum rfs_thread_flags) of the operation that the thread is parked at. */
typedef unsigned (*rfs_ready_fn)(struct rfs_run *run, struct rfs_thread *thread);
/* Executes the operation that the thread is parked at. Returns what happens to the thread next. */
typedef enum rfs_then (*rfs_go_fn)(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice);

struct rfs_pending_return;
/*
 * Called when an intercepted function has returned to its caller. watch: the call that has returned. value: what the
 * function returned.
 */
typedef void (*rfs_return_fn)(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_pending_return *watch,
			      uint64_t value);

/* A call of an intercepted function that has not returned yet (access/calls/call.c). */
struct rfs_pending_return {
	rfs_addr address, rsp, low; /* the return address, the stack pointer after the return, the lowest such object */
	rfs_return_fn returned;
	uint64_t arg;
	uint64_t life; /* if the frame has known objects of the thread library: a number of this call; otherwise 0 */
};

/* A call of pthread_cond_wait() or a similar function, which rfsup carries out itself (sync/pthread_cond.c). */
struct rfs_cond_call {
	bool released, timed_out, cancelled;
	rfs_addr cond, mutex;
	rfs_addr function, back; /* the function that was called, and its return address */
	uint64_t deadline;	 /* virtual time of the timeout; RFS_NEVER: no timeout */
};

/*
 * One part of an instruction's or a range call's accesses. The thread can be parked between two parts
 * (access/access.c).
 */
struct rfs_part {
	rfs_addr address;
	uint64_t size;
	unsigned access;
};
#define RFS_PARTS_MAX 20

/* The state of the statement that a thread is executing. */
struct rfs_access_state {
	struct rfs_site_hook *site;
	struct rfs_breakpoint *breakpoint;
	struct rfs_part part[RFS_PARTS_MAX];
	unsigned n_parts, at;
	uint64_t heap_changes; /* of the run, when the addresses of the parts were computed */
	bool late;	       /* the statement is a call with late ranges, which are reported when it returns */
	bool checked;	       /* parts before `at` were executed at the sanitizer's check of the access */
	int finish;	       /* enum finish in access/access.c */
	unsigned length, unit; /* length of the instruction; size of one memory operand; both in bytes */
	uint64_t result;       /* the return value of a range call that rfsup carries out itself */
	unsigned char fill;
	unsigned char *data; /* the bytes that were read last for this statement; owned */
	size_t data_size;
};

/* The numbers from which partial_order.c makes names for the thread and its objects. */
struct rfs_thread_names {
	uint64_t self;
	/* how many threads and heap blocks the thread has created, and how many operations it has executed */
	uint64_t children, blocks, operations;
	bool creates; /* the thread executed a CREATE operation whose new thread is not known yet */
};

/* One controlled thread of the target. */
struct rfs_thread {
	int number;
	struct rfs_task *task; /* NULL once the task has ended */
	pid_t tid;	       /* the thread's id as the target sees it (kernel/ids/pids.c) */
	unsigned process;      /* 0: the program; else the number of a process that it has forked (family.h) */
	enum rfs_thread_state state;
	struct rfs_thread *creator;
	struct rfs_thread_names names;

	struct rfs_op next; /* if the state is PARKED: the operation that the thread is parked at */
	rfs_ready_fn ready;
	rfs_go_fn go;
	unsigned flags; /* enum rfs_thread_flags, as last computed */
	/* the value of `flags` when the policy gave run->loop.hint; valid if the hint is steady (struct rfs_choice) */
	unsigned steady_flags;
	bool yielded; /* the thread gave up its turn; cleared when another thread executes an operation */

	/* class of the lock that `next` acquires, if the policy needs lock classes; 0: not computed yet */
	uint64_t lock_class;
	struct rfs_thread_start start, creates; /* creates: of the thread that it is about to create */
	/* these addresses are names, if the thread is one of another process (family.h) */
	rfs_addr tls; /* the thread pointer, which is also the thread's pthread_t */
	rfs_addr stack_low, stack_high;
	rfs_addr clear_tid; /* when the thread ends, the kernel clears this word and wakes its sleepers */
	int pending_signo;  /* a signal to deliver when the thread is resumed next; 0: none */
	/*
	 * The thread is stopped at the exit of a system call, although its state is RUNNING. It is resumed when the
	 * threads that its call woke are quiescent. Several threads can settle at the same time, because threads that
	 * return from calls that rfsup does not schedule settle too.
	 */
	bool settles;
	bool leaves;	 /* its process ends, and it is not gone yet */
	bool at_syscall; /* the last stop was at the entry of a system call */

	struct rfs_sync_thread sync; /* the locks that the thread holds, and what it waits for */
	struct rfs_pending_return *returns;
	size_t n_returns;
	struct rfs_cond_call cond_call;
	rfs_addr interrupted; /* a signal has interrupted sem_wait(), called with this stack pointer; 0: none */
	struct rfs_access_state access;
	struct rfs_late_calls late;
	struct rfs_spin_state spin;
	struct rfs_contention contention;
	struct rfs_heap_call heap_call;
	struct rfs_gdb_thread gdb;
	struct rfs_handler_state handler;
	uint64_t operations; /* how many visible operations the thread executed */
	struct rfs_watch_counts watched;
	struct rfs_openmp_thread openmp;

	/* If the next operation is a system call, a sleep or a futex call: the system call that the thread is in. */
	long syscall;	       /* number of the system call */
	unsigned long args[6]; /* arguments of the system call; handlers of library calls store notes here */
	rfs_addr stack[8];     /* in the kernel: its call stack when it made the call */
	size_t n_stack;
	struct rfs_call_state *call; /* what else kernel/ stores about the system call; owned */
	uint64_t deadline;	     /* virtual time of the timeout; RFS_NEVER: no timeout */
};

/* Marks the thread as ended: it no longer waits for anything, and no longer runs. */
void rfs_thread_ended(struct rfs_run *run, struct rfs_thread *thread);
/* Writes at most max addresses of the thread's call stack to out, innermost first. Returns how many. */
size_t rfs_thread_stack(const struct rfs_thread *thread, rfs_addr *out, size_t max);
/* The frame of a parked thread that contains the address in its stack. False if there is none, or it is not parked. */
bool rfs_thread_frame(const struct rfs_thread *thread, rfs_addr address, struct rfs_stack_frame *out);
/* The same if the thread executes this code, whether it is parked or not. If the address is a name, so is the CFA. */
bool rfs_thread_frame_at(const struct rfs_thread *thread, rfs_addr code, rfs_addr address, struct rfs_stack_frame *out);
/*
 * rfs_thread_by_tid() finds the live thread with this tid. rfs_thread_by_tls() finds the newest thread with this thread
 * pointer. NULL: there is no such thread.
 */
struct rfs_thread *rfs_thread_by_tid(const struct rfs_run *run, pid_t tid);
struct rfs_thread *rfs_thread_by_tls(const struct rfs_run *run, uint64_t tls);
/* Whether the address is on the thread's stack. */
bool rfs_thread_has_stack_at(const struct rfs_thread *thread, rfs_addr address);
/*
 * The thread whose stack contains the address; NULL: no thread's stack does. The C library gives an ended thread's
 * stack to a new thread, so several threads may have had this stack. `which` selects the first or the last of them.
 */
enum rfs_stack_owner { RFS_STACK_FIRST_OWNER, RFS_STACK_LAST_OWNER };
struct rfs_thread *rfs_thread_by_stack(const struct rfs_run *run, rfs_addr address, enum rfs_stack_owner which);
/*
 * Whether the thread is parked in a condition wait that rfsup carries out. It may wait for the signal or, after the
 * signal, for the mutex. The thread is then at trampoline 0 (sync/pthread_cond.c), so its call stack continues at
 * cond_call.back.
 */
bool rfs_cond_asleep(const struct rfs_thread *thread);
/* Whether such a thread was signalled or has timed out, so that it now waits for the mutex. */
bool rfs_cond_woken(const struct rfs_run *run, const struct rfs_thread *thread);
/* Forgets the statement that the thread was executing, and frees its data. */
void rfs_access_drop(struct rfs_thread *thread);

#endif
