/*
 * run-priv.h - the state of one controlled run, shared by the files that make it: run.c (the loop), thread.c (parking
 * and executing), stops.c (what a stop means), the library layer (library*.c), the futex layer (futex.c), system
 * calls (syscalls.c, blocking.c, fifo.c), memory accesses (sites.c, access.c, heap.c), spin.c, trace.c and evidence.c.
 *
 * At any time at most one thread runs (run->running); every other live one is parked right before its next visible
 * operation, is in the kernel, or is still being born.
 */
#ifndef RFS_RUN_PRIV_H
#define RFS_RUN_PRIV_H

#include <limits.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <uthash.h>
#include <xxhash.h>

#include "disasm/rewrite/code.h"
#include "disasm/rewrite/stub.h"
#include "policy/core/hint.h"
#include "policy/core/rng.h"
#include "supervisor/state/follow.h"
#include "supervisor/state/run.h"
#include "tracer/breakpoint.h"
#include "tracer/memory.h"
#include "tracer/module.h"
#include "tracer/tracer.h"

struct rfs_gdb;
struct rfs_run;
struct rfs_thread;
struct rfs_trace_entry;
struct rfs_stub_record;
struct rfs_partial_plan;

#define RFS_NANOS 1000000000ull
#define RFS_NEVER UINT64_MAX /* a virtual time that never comes */
/* Virtual time that one visible operation takes. */
#define RFS_OPERATION_NANOS 1000
/* How often limits and the watchdog are looked at. Short against a spin that costs time, long against a stop. */
#define RFS_TICK_USEC 20000

/* Messages that detectors are told of: kind and number make one. */
enum rfs_message_kind {
	RFS_MESSAGE_START = 1, /* of this thread */
	RFS_MESSAGE_SIGNAL,    /* of a condition variable; numbered */
	RFS_MESSAGE_POST,      /* of a semaphore; numbered */
	RFS_MESSAGE_BARRIER,   /* one round; numbered */
	RFS_MESSAGE_ONCE,      /* address of the pthread_once_t, or of the guard */
	RFS_MESSAGE_EXIT,      /* of this thread */
	RFS_MESSAGE_CHANNEL,   /* channel.h */
	RFS_MESSAGE_KILL,      /* signal number, and thread + 1 << 8; 0: to the process */
};

static inline uint64_t rfs_message(enum rfs_message_kind kind, uint64_t number)
{
	return (uint64_t)kind << 56 | (number & ((1ull << 56) - 1));
}

enum rfs_thread_state {
	RFS_STATE_EMBRYO, /* clone was reported, the first stop is still to come */
	RFS_STATE_PARKED,
	RFS_STATE_RUNNING,
	RFS_STATE_KERNEL, /* in a system call that did not return */
	RFS_STATE_ENDED,
};

/* Flags of enum rfs_thread_flags for the operation that the thread is parked before. */
typedef unsigned (*rfs_ready_fn)(struct rfs_run *run, struct rfs_thread *thread);
/* Executes it: afterwards the thread runs, or is parked before another one. */
typedef void (*rfs_go_fn)(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice);
/* An intercepted function came back to its caller with this value. */
struct rfs_pending_return;
/* value: what the function returned */
typedef void (*rfs_return_fn)(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_pending_return *watch,
			      uint64_t value);

struct rfs_hold {
	rfs_addr lock;
	enum rfs_op_kind kind; /* LOCK, WRLOCK: exclusive; RDLOCK: shared */
	unsigned count;	       /* recursive or repeated read holds */
};

struct rfs_pending_return {
	rfs_addr address, rsp; /* where it comes back to, with what stack pointer */
	rfs_return_fn returned;
	uint64_t arg;
};

/* A condition wait that we carry out for the target (pthread_cond.c). */
struct rfs_cond_wait {
	bool active, released, signalled, timed_out, cancelled;
	rfs_addr cond, mutex;
	rfs_addr function, back; /* what was called, and where it returns to */
	uint64_t deadline;	 /* virtual; RFS_NEVER where it has none */
	uint64_t order;		 /* who waits longest */
	uint64_t message;	 /* of the signal that woke it */
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
	bool cancel_pending, cancel_disabled;
	bool at_syscall;   /* stands at the entry of a system call, not at an instruction */
	long futex_answer; /* what its next futex wait is answered, 0: nothing prepared */

	struct rfs_hold *holds;
	size_t n_holds;
	struct rfs_pending_return *returns;
	size_t n_returns;
	struct rfs_cond_wait wait;
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

	/* SYSCALL, SLEEP, FUTEX: the call that it stands in */
	long number_nr;
	unsigned long args[6]; /* also the parked library call's own notes */
	int fd, fd_out;	       /* our duplicates of the descriptors it waits for (fd_out: splice writes to it), -1 */
	/* … and what it reads from, and writes to (channel.h), 0: nothing known */
	uint64_t channel, channel_out;
	bool inet;	     /* it writes to a socket whose packets may go over the loopback device */
	bool retry;	     /* a poll that came back empty is made again */
	uint64_t deadline;   /* virtual; RFS_NEVER */
	bool futex_awake;    /* FUTEX_SLEEP: a wake came */
	bool futex_internal; /* … and the call was the C library's own */
	rfs_addr futex_word;
	unsigned futex_bits;
	uint64_t sleep_order;	     /* who sleeps longest */
	bool from_outside;	     /* the call is written down, or answered from what was (input.c) */
	bool ready_now, ready_known; /* … would not wait: as last seen, as last written down */
	bool held_back;		     /* in the kernel, as far as anybody can tell: waits for its recorded return */
	long stands_in;		     /* the descriptor that it must get now; -1: no matter */
	unsigned long affinity;	     /* that it asked for, 0: none */
};

/* An intercepted function: one row of the table in pthread_calls.c. */
struct rfs_call {
	const char *name;
	void (*enter)(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
	int param;
	unsigned flags; /* enum rfs_call_flags */
};
enum rfs_call_flags {
	RFS_CALL_INTERNAL = 1, /* also when the C library calls it for itself */
	RFS_CALL_HEAP = 2,     /* only where the heap is tracked */
	RFS_CALL_LOOKS = 4,    /* what it does depends on the object that its first argument points to */
};

/* A function of the C library whose calls stubs record in place of a breakpoint at its entry. */
struct rfs_recorded_call {
	rfs_addr start, end;
	const struct rfs_call *call; /* NULL: none of the table's */
};

/* A statement of a watched module. */
struct rfs_site_hook {
	rfs_site site;
	const struct rfs_code_site *code; /* NULL: named by the spec, in no watched module's list */
	unsigned statements;		  /* bits 0 and 1: the pair under test */
	bool visible;			  /* a thread parks before it */
	bool watched;			  /* its accesses go to the detector */
	bool spin;			  /* a spin read */
	bool atomic;
};

/* What the records of one operand stand for, beside what its stream site of the same number says (stubs.c). */
struct rfs_operand {
	uint8_t kind;  /* enum rfs_operand_kind */
	bool fs;       /* relative to the thread pointer */
	bool writes;   /* perhaps reads as well */
	uint16_t size; /* COUNT: bytes of an element */
};

/* What a breakpoint is there for; data of struct rfs_breakpoint. */
struct rfs_hook {
	const struct rfs_call *call;
	struct rfs_site_hook *site;
	bool returns;	       /* somebody's return address */
	bool main;	       /* the program's main function, which nobody has entered yet */
	uint8_t rdtsc;	       /* bytes of an instruction that reads the time stamp counter; 0: it is none */
	struct rfs_hook *next; /* all of the run, for the end */
};

/* A module as the run saw it; kept after it and the target are gone, because reports still name it. */
struct rfs_module_info {
	unsigned number;
	char *path;
	uint64_t bias;
	rfs_addr start, end;
	const struct rfs_elf *elf;
	bool gone;
	bool program;
	bool interpreter;
	bool libc; /* C library or interpreter: calls it makes for itself are not visible */
	bool watched;
	size_t sites;
};

struct rfs_block {
	rfs_addr address;     /* key */
	uint64_t size, order; /* order: of the allocation, among all */
	uint64_t name;	      /* the same in every run */
	int thread;
	bool freed; /* kept until the memory is used again */
	rfs_addr stack[16];
	unsigned n_stack;
	UT_hash_handle hh;
};

struct rfs_barrier {
	rfs_addr address; /* key */
	unsigned arrived;
	uint64_t round, message;
	UT_hash_handle hh;
};

/* Messages of posts that no wait has taken yet, oldest first. */
struct rfs_semaphore {
	rfs_addr address; /* key */
	uint64_t *tokens;
	size_t n_tokens, initial; /* tokens that nobody posted come first */
	UT_hash_handle hh;
};

struct rfs_address_set {
	rfs_addr address; /* key */
	UT_hash_handle hh;
};

struct rfs_stream;
struct rfs_trace;
struct rfs_pid;
struct rfs_timer;
struct rfs_directory;
struct rfs_input;
struct rfs_loopback;
struct rfs_ports;
struct rfs_opened;

/* What was read of the target's memory since anything of it last ran. */
#define RFS_OBJECT_SIZE 40 /* of the largest object whose state the models read: pthread_mutex_t */
#define RFS_READ_AHEAD_MAX 8
struct rfs_read_ahead {
	rfs_addr address;
	size_t size;
	unsigned char bytes[RFS_OBJECT_SIZE];
};

/* A task of a child process of the target: never scheduled, just kept going. */
struct rfs_foreign {
	struct rfs_task *task;
	bool loose; /* goes its own way: no choice waits for it before it was at rest again */
};

struct rfs_run {
	const struct rfs_run_spec *spec;
	struct rfs_run_result *result;
	struct rfs_tracer *tracer;
	struct rfs_decoder *decoder;
	void *policy;	/* state of spec->policy */
	void *detector; /* state of spec->detector, NULL where none; the stream's while there is one */
	struct rfs_stream *stream;

	struct rfs_thread **threads; /* by number */
	size_t n_threads;
	struct rfs_thread *running; /* NULL: every live thread is parked or in the kernel */
	struct rfs_thread_view *view;
	int current; /* thread of the last choice */
	bool ended;  /* result->end is set */
	bool dying;  /* a thread goes that did not end by itself: all go, or one of them executes another program */
	bool track_heap;

	uint64_t spin_reads; /* executed */
	struct rfs_hint hint;
	size_t n_steady;      /* threads alive when it was given */
	uint64_t now;	      /* virtual nanoseconds since the start */
	uint64_t epoch;	      /* `now` as the run began: 0 but for a real clock */
	uint64_t last_look;   /* real clock: of CLOCK_MONOTONIC, nanoseconds */
	uint64_t clock_reads; /* in a row, without another operation between */
	uint64_t horizon;     /* sleepers and timeouts due by then may be chosen */
	uint64_t next_message, next_order;
	uint64_t random_key, random_state; /* getrandom's stream */
	bool main_reached;		   /* or it is not known where it is */
	bool unknown_code;		   /* may be executed (tsc_insns.c) */
	bool reads_tsc;			   /* rdtsc does not trap any more */
	bool stops_at_main, at_main;	   /* the run goes no further: copies of it will (server.c) */
	const char *telling;		/* stops_at_main: the first thing done that a copy would not have; NULL: none */
	bool copied;			/* made of another run, to which the decoder belongs */
	bool signals;			/* some thread may have a pending signal */
	bool signal_fds;		/* the target has made a signalfd */
	unsigned long action_flags[65]; /* of each signal's action, by number */
	uint64_t action_handler[65];	/* 0: default, 1: ignored */
	uint64_t segv_action[4];	/* of SIGSEGV: all of it */
	struct rfs_foreign *foreign;	/* tasks of child processes */
	size_t n_foreign;
	pid_t *threaded; /* processes of these that have threads */
	size_t n_threaded;
	struct rfs_follow follow; /* glob NULL: the program is the one that was launched */
	int pidfd;
	struct rfs_pid *pids; /* by order of creation */
	size_t n_pids;
	struct rfs_ports *ports;       /* that the kernel picked; NULL: none yet; ports.c */
	struct rfs_loopback *loopback; /* NULL: the target has not sent anything that way, or there is none */
	bool loopback_asked;
	struct rfs_input *input; /* NULL: nothing is recorded or given back */
	bool driver_ended;
	struct rfs_timer *timers;
	size_t n_timers;
	struct rfs_directory **directories;
	size_t n_directories;
	struct timespec started_at; /* of CLOCK_REALTIME */
	struct rfs_opened *opened;  /* files; nondeterminism.c */
	size_t n_opened;
	double started;	    /* monotonic seconds */
	double started_cpu; /* CPU seconds of ours */

	struct rfs_thread *watched;	   /* by the watchdog: who ran at the last look */
	uint64_t watch_steps, watch_stops; /* … and the counts then */
	unsigned watch_ticks, watch_wait;  /* looks since, and before the next analysis */
	double watch_cpu;		   /* seconds that the target had used then */

	struct rfs_read_ahead ahead[RFS_READ_AHEAD_MAX];
	size_t n_ahead; /* valid ones */

	struct rfs_module_info **modules; /* by number */
	size_t n_modules;
	struct rfs_hook *hooks;
	struct rfs_block *blocks;
	struct rfs_barrier *barriers;
	struct rfs_semaphore *semaphores;
	bool stubs;		      /* accesses at which nothing is decided are recorded by stubs */
	bool lends;		      /* … and operations at which nothing is (stopless_locks.c) */
	struct rfs_operand *operands; /* by the numbers in the records */
	size_t n_operands;
	struct rfs_partial_plan *plans; /* stubs.c */
	struct rfs_recorded_call *recorded;
	size_t n_recorded;
	struct rfs_address_set *atomics;	    /* addresses that an atomic instruction reached */
	rfs_addr fn_lock, fn_unlock, fn_testcancel; /* run-time addresses in the C library, 0: not found */
	struct rfs_trace *trace;
	struct rfs_partial_order *partial_order; /* NULL: not asked for */
	struct rfs_gdb *gdb;			 /* NULL: no debugger looks on */
};

/* run_life.c: rfs_run() in its parts. The memory is the caller's; whatever fails, rfs_run_release() has to follow. */
void rfs_run_init(struct rfs_run *run, const struct rfs_run_spec *spec, struct rfs_run_result *out);
/* Policy, detector and trace. */
int rfs_run_open(struct rfs_run *run, char *why, size_t n) __attribute__((warn_unused_result));
/* That, and the target, which stops at these system calls (ends with -1). */
int rfs_run_begin(struct rfs_run *run, const int *syscalls, char *why, size_t n) __attribute__((warn_unused_result));
void rfs_run_collect(struct rfs_run *run);
void rfs_run_release(struct rfs_run *run);

/* run.c */
void rfs_run_loop(struct rfs_run *run);
/* False: it was cancelled, or its time is over, and it has ended. */
bool rfs_run_may_go_on(struct rfs_run *run);
void rfs_run_end(struct rfs_run *run, enum rfs_run_end end, int detail);
void rfs_run_uncontrolled(struct rfs_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
void rfs_run_warn(struct rfs_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* follow_run.c */
/* A stop while the program to follow is not there yet: true where this is it. */
bool rfs_follow_begins(struct rfs_run *run, const struct rfs_stop *stop);
/* A task that is not controlled is gone. */
void rfs_follow_ended(struct rfs_run *run, const struct rfs_stop *stop);
/* The program has ended: the wrapper too, and how, where the program found nothing wrong. */
void rfs_follow_finish(struct rfs_run *run);
/* The program descends from this process. */
bool rfs_follow_is_above(const struct rfs_run *run, pid_t pid);

/* thread.c */
struct rfs_thread *rfs_thread_new(struct rfs_run *run, struct rfs_task *task, struct rfs_thread *creator);
/* It turns out, or is known from the beginning, who created the thread; NULL: nobody. */
void rfs_thread_adopt(struct rfs_thread *thread, struct rfs_thread *creator);
void rfs_thread_ended(struct rfs_run *run, struct rfs_thread *thread);
/* Its call stack, innermost first, at most max addresses; see rfs_task_stack(). */
size_t rfs_thread_stack(const struct rfs_thread *thread, rfs_addr *out, size_t max);
struct rfs_thread *rfs_thread_by_tid(const struct rfs_run *run, pid_t tid);
struct rfs_thread *rfs_thread_by_tls(const struct rfs_run *run, uint64_t tls);
void rfs_park(struct rfs_run *run, struct rfs_thread *thread, struct rfs_op op, rfs_ready_fn ready, rfs_go_fn go);
/* The thread runs, in this way, with this signal (0: none). */
void rfs_let_run(struct rfs_run *run, struct rfs_thread *thread, enum rfs_resume how, int signo);
/* The thread runs on from where it stands. */
void rfs_proceed(struct rfs_run *run, struct rfs_thread *thread);
/* Accounts for a visible operation: step count, trace, policy and detector. */
void rfs_executed(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_op *op, enum rfs_outcome outcome);
void rfs_emit(struct rfs_run *run, const struct rfs_event *event);
void rfs_emit_kind(struct rfs_run *run, struct rfs_thread *thread, enum rfs_event_kind kind, uint64_t message);
void rfs_emit_reset(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address, uint64_t size);
void rfs_acquired(struct rfs_run *run, struct rfs_thread *thread, rfs_addr lock, enum rfs_op_kind kind);
void rfs_released(struct rfs_run *run, struct rfs_thread *thread, rfs_addr lock);
struct rfs_thread *rfs_holder(const struct rfs_run *run, rfs_addr lock, const struct rfs_thread *but);
unsigned rfs_ready_always(struct rfs_run *run, struct rfs_thread *thread);
void rfs_go_proceed(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice);
/* Flags for something that waits: available now or not, and a deadline (RFS_NEVER: none). */
unsigned rfs_ready_timed(const struct rfs_run *run, bool available, uint64_t deadline);
struct rfs_op rfs_op_make(enum rfs_op_kind kind, rfs_site site, rfs_addr object);

/* target_memory.c: memory, shared by all */
bool rfs_peek(const struct rfs_run *run, rfs_addr address, void *buf, size_t n);
bool rfs_poke(struct rfs_run *run, rfs_addr address, const void *buf, size_t n);
struct rfs_space *rfs_run_space(const struct rfs_run *run);
/*
 * thread stands at the entry of a function: reads at once what it and all other parked threads will be asked about.
 * object: the function's first argument too.
 */
void rfs_target_memory_prefetch(struct rfs_run *run, struct rfs_thread *thread, bool object);
/* Somebody may write to the target's memory from here on. */
void rfs_target_memory_forget(struct rfs_run *run);

/* modules and sites */
struct rfs_module_info *rfs_info_at(const struct rfs_run *run, rfs_addr address); /* NULL: in no module */
struct rfs_module_info *rfs_info_new(struct rfs_run *run, const struct rfs_module *module);
rfs_site rfs_site_of(const struct rfs_run *run, rfs_addr address);
/* The run-time address of a site; 0 where its module is gone. */
rfs_addr rfs_site_address(const struct rfs_run *run, rfs_site site);

/* stops.c */
void rfs_handle_stop(struct rfs_run *run, const struct rfs_stop *stop);
/* True where a signal was delivered instead of the parked operation. */
bool rfs_deliver_pending(struct rfs_run *run, struct rfs_thread *thread);
/* One of these signals is not ignored. */
bool rfs_signal_matters(const struct rfs_run *run, unsigned long mask);
/* Signals that are pending for the thread, not blocked and not ignored: bit signo - 1 of *mask. */
bool rfs_signal_waits(struct rfs_run *run, struct rfs_thread *thread, unsigned long *mask);

/* quiesce.c */
/* How long a choice has been waiting for children; zero at first. */
struct rfs_quiesce {
	bool waits;
	double cpu;	   /* seconds that all had taken at first */
	double idle_since; /* monotonic seconds: nobody wants a core since */
};
void rfs_foreign_seen(struct rfs_run *run, struct rfs_task *task);
void rfs_foreign_gone(struct rfs_run *run, const struct rfs_task *task);
/* A thread whom a call may have woken is still on its way to its exit or back to sleep. */
bool rfs_threads_move(const struct rfs_run *run);
/* No thread and no child process is on its way to a place where it stays: the next choice can be made. */
bool rfs_is_quiescent(struct rfs_run *run, struct rfs_quiesce *quiesce);

/* before_main.c */
#define RFS_AT_RANDOM_SIZE 16
/* The run begins: AT_RANDOM's bytes, and getrandom's until main. */
void rfs_before_main(struct rfs_run *run, unsigned char at_random[RFS_AT_RANDOM_SIZE]);
/* main begins, or it is not known where it is. */
void rfs_seed_counts(struct rfs_run *run);
void rfs_enter_start_main(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
/* The thread stands before main. True where the run stops here. */
bool rfs_main_begins(struct rfs_run *run, struct rfs_thread *thread, struct rfs_hook *hook,
		     struct rfs_breakpoint *breakpoint);

/* pthread_calls.c */
void rfs_pthread_add_module(struct rfs_run *run, struct rfs_thread *thread, struct rfs_module *module);
/* Where stubs record calls in [start, end), breakpoints take their place, for all that are recorded. True: they did. */
bool rfs_pthread_remove_patches(struct rfs_run *run, struct rfs_task *task, rfs_addr start, rfs_addr end);
/* The code in [start, end) is gone. */
void rfs_pthread_forget(struct rfs_run *run, rfs_addr start, rfs_addr end);
void rfs_pthread_enter(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
bool rfs_call_is_internal(const struct rfs_run *run, rfs_addr back);
rfs_addr rfs_call_back(const struct rfs_run *run,
		       struct rfs_thread *thread); /* the return address at a function's entry */
/* Comes back to the caller with value, without the function. */
void rfs_call_answer(struct rfs_run *run, struct rfs_thread *thread, uint64_t value);
void rfs_call_on_return(struct rfs_run *run, struct rfs_thread *thread, rfs_return_fn returned, uint64_t arg);
void rfs_call_returned(struct rfs_run *run, struct rfs_thread *thread);
/* The same of a function that stubs record: it goes back to this address with this stack pointer; and it did. */
void rfs_call_entered(struct rfs_thread *thread, rfs_addr back, rfs_addr rsp, rfs_return_fn returned, uint64_t arg);
void rfs_call_left(struct rfs_run *run, struct rfs_thread *thread, rfs_addr rsp, rfs_return_fn returned,
		   uint64_t value);
/* NULL: nothing is mapped there, or no instruction. */
struct rfs_hook *rfs_hook_at(struct rfs_run *run, struct rfs_task *task, rfs_addr address);
/* The same for many addresses, in ascending order, where instructions are known to begin. Caller frees the array. */
struct rfs_hook **rfs_hooks_at(struct rfs_run *run, struct rfs_task *task, const rfs_addr *addresses, size_t n);
bool rfs_deadline_from(const struct rfs_run *run, rfs_addr timespec, int clock, uint64_t *deadline);
/* The same for a time from now on: 0, or what the kernel answers (-EFAULT, -EINVAL). */
int rfs_deadline_after(const struct rfs_run *run, rfs_addr timespec, uint64_t *deadline);

/* pthread_lock.c, pthread_cond.c, pthread_sync.c, pthread_thread.c, heap.c: rows of the table */
void rfs_enter_lock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
void rfs_enter_trylock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
void rfs_enter_timedlock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
void rfs_enter_unlock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
void rfs_enter_destroy(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
void rfs_enter_cond_wait(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
void rfs_enter_cond_signal(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
void rfs_enter_sem_wait(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
void rfs_enter_sem_post(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
void rfs_enter_sem_init(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
void rfs_enter_barrier(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
void rfs_enter_once(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
void rfs_enter_guard(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
void rfs_enter_create(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
void rfs_enter_join(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
void rfs_enter_cancel(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
void rfs_enter_cancel_state(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
void rfs_enter_allocate(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
void rfs_enter_free(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);

/* The thread has locked a mutex that was free, or unlocked its own, without a stop; site: of the call. */
void rfs_lock_executed(struct rfs_run *run, struct rfs_thread *thread, bool locks, rfs_addr mutex, rfs_site site);

/* stopless_locks.c */
/* The thread is let go: lends it the operations that it may execute without a stop. */
void rfs_stopless_lend(struct rfs_run *run, struct rfs_thread *thread);
/* It executed one of those. */
void rfs_stopless_recorded(struct rfs_run *run, struct rfs_thread *thread, bool locks, rfs_addr mutex);

/* What a lock's memory says, for a thread that wants it (lock_model.c). */
enum rfs_lock_type { RFS_LOCK_MUTEX, RFS_LOCK_READ, RFS_LOCK_WRITE, RFS_LOCK_SPIN };
struct rfs_lock_state {
	bool returns;  /* a call comes back at once */
	bool acquires; /* … and holds the lock then */
	pid_t owner;   /* tid of the exclusive holder as memory names it, 0: none or unknown */
	bool shared;   /* between processes */
};
bool rfs_lock_look(const struct rfs_run *run, const struct rfs_thread *thread, enum rfs_lock_type type, rfs_addr lock,
		   struct rfs_lock_state *out);
/* Would unlock come back with an error, and change nothing? */
bool rfs_lock_refuses_unlock(const struct rfs_run *run, const struct rfs_thread *thread, enum rfs_lock_type type,
			     rfs_addr lock);
/* Threads on the way to a lock or to a join: a cycle, or nobody (deadlock.c). */
bool rfs_deadlock_cycle(struct rfs_run *run, struct rfs_thread *from);
void rfs_deadlock_all(struct rfs_run *run);
void rfs_describe_threads(struct rfs_run *run, struct rfs_waiter **out, size_t *n);

/* pthread_cond.c */
/* It waits for a signal, or for the mutex after one: it stands at trampoline 0, in the frame that wait.back is in. */
bool rfs_cond_asleep(const struct rfs_thread *thread);
void rfs_cond_trampoline(struct rfs_run *run, struct rfs_thread *thread, int index);

/* futex.c */
void rfs_futex_call(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop);
void rfs_futex_thread_gone(struct rfs_run *run, rfs_addr clear_tid, const rfs_addr *robust, size_t n_robust);
/* The words of its robust list are given to nobody: OWNER_DIED. */
void rfs_futex_robust_died(struct rfs_run *run, const struct rfs_thread *thread, const rfs_addr *robust, size_t n);
size_t rfs_futex_robust_list(const struct rfs_run *run, struct rfs_thread *thread, rfs_addr *out, size_t max);

/* syscalls.c, blocking.c */
extern const int rfs_syscalls_traced[], rfs_syscalls_enosys[], rfs_syscalls_eperm[];
void rfs_syscall_enter(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop);
/* Before a call enters the kernel: the kernel's ids and ports stand in it for those that the target sees. True where it
 * must stop at its exit. */
bool rfs_syscall_translate(struct rfs_run *run, struct rfs_task *task, long number, const unsigned long *args);
/* Comes back from the system call that the thread stands in with this result, without the kernel. */
void rfs_syscall_answer(struct rfs_run *run, struct rfs_thread *thread, long result);
void rfs_syscall_exit(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop);
/* Answers getrandom, or a read of /dev/urandom, from the seed. */
void rfs_answer_random(struct rfs_run *run, struct rfs_thread *thread);
/* Answers the rdtsc or rdtscp that the task stands at from virtual time; the caller resumes. thread NULL: none of ours.
 */
void rfs_rdtsc(struct rfs_run *run, struct rfs_task *task, const struct rfs_thread *thread);
/* The arguments of a poll as the target gave them. */
void rfs_blocking_restore(struct rfs_thread *thread);
/* Our duplicate of the target's descriptor, or -1. */
int rfs_fd_duplicate(struct rfs_run *run, int fd);
bool rfs_fd_readable(int fd);
bool rfs_blocking_call(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop);
/* Waits in real time for the outside: at most ms; true where something may have changed. */
bool rfs_blocking_idle(struct rfs_run *run, int ms);
bool rfs_blocking_any(const struct rfs_run *run);
/* Gives back the duplicates that the thread's call needed. */
void rfs_blocking_drop(struct rfs_thread *thread);
void rfs_enter_kernel(struct rfs_run *run, struct rfs_thread *thread);
uint64_t rfs_clock_now(const struct rfs_run *run, int clock); /* nanoseconds */
void rfs_advance(struct rfs_run *run, uint64_t to);
/* The run begins: its clock does, too. */
void rfs_clock_begin(struct rfs_run *run);
void rfs_go_interrupt(struct rfs_run *run, struct rfs_thread *thread);

/* server_check.c: at a system call of a server, or of a copy. True where only they stop at it: it just runs. */
bool rfs_server_syscall(struct rfs_run *run, const struct rfs_stop *stop);
/* pids.c: process and thread ids as the target sees them */
pid_t rfs_pids_add(struct rfs_run *run, pid_t real);
void rfs_pids_gone(struct rfs_run *run, pid_t real);
pid_t rfs_pids_shown(const struct rfs_run *run, pid_t real);
/* The kernel's id where this is one that the target was shown, else 0. */
pid_t rfs_pids_real(const struct rfs_run *run, struct rfs_task *task, pid_t shown);
/* True where the call asks for an id, which *result is. */
bool rfs_pids_answer(const struct rfs_run *run, struct rfs_task *task, long number, long *result);
/* The call takes or returns ids and is nothing else to us: it neither waits nor is it a visible operation. */
bool rfs_pids_passes(long number);
/* Before such a call enters the kernel: true where it must stop at its exit, for rfs_pids_end(). */
bool rfs_pids_begin(struct rfs_run *run, struct rfs_task *task, long number, const unsigned long *args);
void rfs_pids_end(struct rfs_run *run, struct rfs_task *task);
bool rfs_pids_in_call(const struct rfs_run *run, const struct rfs_task *task);
/* At the event of clone and its kin; the maker's call must stop at its exit then. */
void rfs_pids_born(struct rfs_run *run, struct rfs_task *maker, struct rfs_task *child);
/* At the first stop of a task. */
void rfs_pids_started(struct rfs_run *run, struct rfs_task *task);
/* At the delivery of a signal: whom it is from. */
void rfs_pids_signal(const struct rfs_run *run, struct rfs_task *task, const siginfo_t *info);

/* It stands in a call that asks who is at the other end of a socket (SO_PEERCRED), and comes back from it. */
bool rfs_pids_asks_peer(const struct rfs_thread *thread);
void rfs_pids_peer(struct rfs_run *run, const struct rfs_thread *thread);

/* pids_name.c: names of files in which ids stand */
/* A string of the target's. False: too long, or no string. */
bool rfs_name_read(struct rfs_task *task, rfs_addr address, char name[PATH_MAX]);
bool rfs_fd_is_proc(int fd);
/* True where a name, looked up from this folder of the task's, holds ids that the target was shown: out has the
 * kernel's. */
bool rfs_pids_name(const struct rfs_run *run, struct rfs_task *task, int folder, const char *name, char out[PATH_MAX]);
/* The same for a name in the target: true where *address is another one now, until the task goes on from its call. */
bool rfs_pids_put_name(const struct rfs_run *run, struct rfs_task *task, int folder, rfs_addr *address);
/* The name is one of the links in /proc that say who asks. */
bool rfs_pids_is_own_link(struct rfs_task *task, rfs_addr address);
/* What readlink said of such a link, `got` bytes of it. Returns its new result. */
long rfs_pids_put_link(const struct rfs_run *run, struct rfs_task *task, rfs_addr to, size_t room, long got);

/* tsc_insns.c */
void rfs_tsc_insns_add_module(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_module *module);
/* Code may run from now on that is not known: the run may end, to be made again. */
void rfs_unknown_code_appears(struct rfs_run *run);
/* The thread stands in a call that gives memory this protection. */
void rfs_unknown_code_mapped(struct rfs_run *run, struct rfs_thread *thread, uint64_t protection);
/* main begins. */
void rfs_tsc_insns_at_main(struct rfs_run *run, struct rfs_thread *thread);

/* virtual_hardware.c: cores, memory, CPU time. True where it answered the call. */
bool rfs_virtual_hardware_call(struct rfs_run *run, struct rfs_thread *thread);
/* Answers the cpuid that the task stands at; the caller resumes. */
void rfs_cpuid(struct rfs_task *task);

/* directory.c. False: no directory, the kernel says what is wrong. */
bool rfs_directory_call(struct rfs_run *run, struct rfs_thread *thread);
void rfs_directories_release(struct rfs_run *run);

/* timers.c */
bool rfs_timers_call(struct rfs_run *run, struct rfs_thread *thread);
/* A read of a timerfd that has expired, by our duplicate: true where *result is its answer. */
bool rfs_timers_read(struct rfs_run *run, struct rfs_thread *thread, int fd, long *result);
/* Carries out those that are due: true where there were some. */
bool rfs_timers_fire(struct rfs_run *run);
uint64_t rfs_timers_next(const struct rfs_run *run); /* RFS_NEVER: none is armed */
/* At the delivery of a signal: true where a timer of ours sent it, which the target now sees as the kernel's. */
bool rfs_timers_signal(const struct rfs_run *run, struct rfs_task *task, const siginfo_t *info);
void rfs_timers_release(struct rfs_run *run);

/* nondeterminism.c: what no seed determines is counted */
/* Before a read from fd (ours). */
void rfs_nondet_read(struct rfs_run *run, int fd);
/* At the exit of a call. */
void rfs_nondet_returned(struct rfs_run *run, struct rfs_thread *thread, long result);
/* Before mmap with MAP_SHARED, and shmat. */
void rfs_nondet_map(struct rfs_run *run, struct rfs_thread *thread);
void rfs_nondet_attach(struct rfs_run *run, const struct rfs_thread *thread);
/* Before an open of a file that is there. */
void rfs_nondet_open(struct rfs_run *run, const char *name, unsigned long flags, const struct stat *st);
void rfs_nondet_collect(struct rfs_run *run); /* fills result->files */

/* fifo.c: the thread stands in an open, which means a FIFO; *flags: of open(2). */
bool rfs_opens_fifo(struct rfs_run *run, const struct rfs_thread *thread, unsigned long *flags);

/* kernel_hb.c */
/* The thread goes into the system call that it stands in (its descriptors of ours are still open), and comes out. */
void rfs_kernel_hb_begin(struct rfs_run *run, struct rfs_thread *thread);
void rfs_kernel_hb_end(struct rfs_run *run, struct rfs_thread *thread, long result);
/* What it registers is told to whoever waits there. */
void rfs_epoll_changed(struct rfs_run *run, struct rfs_thread *thread);
/* to NULL: to the process. */
void rfs_signal_sent(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_thread *to, int signo);
/* The signal is about to be handled, or was taken by a wait for it: what its sender did happened before. */
void rfs_signal_received(struct rfs_run *run, struct rfs_thread *thread, int signo);

/* sites.c */
/* Whether its accesses are asked for. Its data is there. */
bool rfs_is_watched(const struct rfs_run *run, const struct rfs_module *module);
void rfs_sites_add_module(struct rfs_run *run, struct rfs_thread *thread, struct rfs_module *module);
/* Breakpoints at all accesses, now that there are no stubs any more. */
void rfs_sites_trap_all(struct rfs_run *run, struct rfs_thread *thread);
void rfs_sites_modules(struct rfs_run *run); /* fills result->modules */
/* A breakpoint for the accesses of one more site of a watched module. */
void rfs_site_add(struct rfs_run *run, struct rfs_task *task, const struct rfs_module *module,
		  const struct rfs_code_site *site);

/* stubs.c */
/* A new program is about to start: decides what it gets stubs for. */
void rfs_stubs_open(struct rfs_run *run, struct rfs_thread *thread);
/*
 * Gives a watched module its stubs, in functions that skip does not name (NULL: all). Returns which of its sites (by
 * index) they record; NULL: none. Caller frees.
 */
bool *rfs_stubs_add_module(struct rfs_run *run, struct rfs_thread *thread, struct rfs_module *module,
			   bool (*skip)(const struct rfs_module *module, uint64_t vaddr));
/* Gives a C library that is not watched the stubs of its allocators: run->recorded. */
void rfs_stubs_add_allocators(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_module *module);
/* The same for its mutex functions: what they record is lent (stopless_locks.c). */
void rfs_stubs_add_locks(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_module *module);
/* A task got to an instruction inside a patch: plans it again. */
void rfs_stubs_learn(struct rfs_run *run, struct rfs_task *task, rfs_addr address);
/* The target is about to write there: what it finds, and changes, is its own code. */
void rfs_stubs_remove_patches(struct rfs_run *run, struct rfs_thread *thread, rfs_addr start, uint64_t size);
/* No operation can be lent any more. */
void rfs_stubs_stop_lending(struct rfs_run *run, struct rfs_thread *thread);
#define RFS_GS_IN_USE "the target uses the gs register, as its stubs do"
/* There can be no stubs any more: goes on with breakpoints. */
void rfs_stubs_give_up(struct rfs_run *run, struct rfs_thread *thread, const char *why);
void rfs_stubs_release(struct rfs_run *run);

/* stub_drain.c */
/* Takes what a stopped task recorded, and tells the detector; thread NULL: none of ours, it is dropped. Returns how
 * many records, which stay at *out until somebody runs. */
size_t rfs_stub_drain(struct rfs_run *run, struct rfs_task *task, struct rfs_thread *thread,
		      const struct rfs_stub_record **out);

/* access.c */
void rfs_site_hit(struct rfs_run *run, struct rfs_thread *thread, struct rfs_site_hook *site,
		  struct rfs_breakpoint *breakpoint);
void rfs_access_drop(struct rfs_thread *thread);
/* An atomic instruction reached this address. */
void rfs_access_note_atomic(struct rfs_run *run, rfs_addr address);

/* heap.c */
/* What the stub of an allocator recorded. */
void rfs_heap_recorded(struct rfs_run *run, struct rfs_thread *thread, enum rfs_operand_kind kind, uint64_t value);
struct rfs_block *rfs_heap_block(const struct rfs_run *run, rfs_addr address);
/* Bytes of a block that is about to be freed: 0, it is not known; what stands before it is looked at, then. */
uint64_t rfs_heap_known_size(const struct rfs_run *run, rfs_addr block);
uint64_t rfs_heap_chunk_size(const struct rfs_run *run, rfs_addr block);
void rfs_heap_release(struct rfs_run *run);

/* stable_names.c: numbers that are the same in every run. 0: no function of the program's, or of its own libraries' */
uint64_t rfs_lock_class(const struct rfs_run *run, rfs_addr lock);
uint64_t rfs_function_name(const struct rfs_run *run, rfs_addr back);
bool rfs_is_cxx_library(const struct rfs_module_info *info); /* NULL: no */

/* spin.c */
/* The run is to end while a thread runs: stops it where it is, so that its stack can be shown. */
void rfs_stop_running(struct rfs_run *run);
void rfs_watchdog(struct rfs_run *run);
void rfs_spin_hit(struct rfs_run *run, struct rfs_thread *thread, struct rfs_site_hook *site,
		  const struct rfs_part *part);
/* The buffer of a thread's records is full: goes on, or turns out to spin, and the run ends. */
void rfs_spin_records(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stub_record *records, size_t n);
/* One more access that is no visible operation: true where the thread turns out to spin, and the run ends. */
bool rfs_spin_suspect(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_site_hook *site,
		      const struct rfs_part *part);

/* evidence.c */
/* Where the thread is parked before an access. */
/* The thread stands before statement i of the pair: result->stood. */
void rfs_evidence_reached(struct rfs_run *run, struct rfs_thread *thread, int i);
void rfs_evidence_race(struct rfs_run *run, const struct rfs_choice *choice);
void rfs_evidence_fault(struct rfs_run *run, struct rfs_thread *thread);
void rfs_evidence_predicted(struct rfs_run *run);
void rfs_describe(const struct rfs_run *run, rfs_addr address, struct rfs_object *out);
void rfs_place_of(const struct rfs_run *run, rfs_addr address, struct rfs_place *out);
void rfs_stack_places(struct rfs_run *run, struct rfs_thread *thread, struct rfs_place **out, size_t *n);

/* partial_order.c. All but the names do nothing where the partial order is not asked for. */
void rfs_name_thread(struct rfs_thread *thread, struct rfs_thread *creator);
uint64_t rfs_name_block(struct rfs_thread *thread); /* of the next block that the thread allocates */
void rfs_partial_order_new(struct rfs_run *run);
void rfs_partial_order_copy(const struct rfs_run *from, struct rfs_run *to); /* both have one, or none */
void rfs_partial_order_free(struct rfs_run *run);
void rfs_partial_order_add(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_op *op,
			   enum rfs_outcome outcome);
void rfs_partial_order_created(struct rfs_run *run, struct rfs_thread *parent, struct rfs_thread *child);
void rfs_partial_order_reset(struct rfs_run *run, rfs_addr address, uint64_t size);
void rfs_partial_order_finish(struct rfs_run *run); /* fills result->order */

/* trace.c */
int rfs_trace_open(struct rfs_run *run, char *why, size_t n);
void rfs_trace_op(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_op *op, enum rfs_outcome outcome);
void rfs_trace_output(struct rfs_run *run, struct rfs_thread *thread, rfs_addr data, uint64_t size);
/* Nothing that goes into the trace is taken from the target's memory as it is at an operation that comes now. */
bool rfs_trace_can_wait(const struct rfs_run *run);
/* The chain goes on behind that of another run. Neither writes a trace or compares with one. */
void rfs_trace_copy(const struct rfs_run *from, struct rfs_run *to);
/* The operations of the recorded run (borrowed), and how many of them this one has done. 0: none are known. */
size_t rfs_trace_recorded(const struct rfs_run *run, const struct rfs_trace_entry **out, size_t *at);
/* The run is over: was that all that the recorded one did? */
void rfs_trace_finish(struct rfs_run *run);
void rfs_trace_close(struct rfs_run *run);

#endif
