/*
 * tracer-priv.h - the tracer's structs, open to the files of this folder.
 *
 *     file          job
 *     launch        fork, seize, filter, execve (launch_child.c: the child's side)
 *     wait          the one function that waits; stops that wait to be presented (queue)
 *     event         from a raw status to a typed stop: whose child, whose breakpoint, which signal
 *     exec          a new program: remaining tasks, auxiliary vector, gate page
 *     resume        the only function that resumes a task
 *     task          life of a task, its registers; proc: its data in /proc
 *     space, memory address spaces, their bytes
 *     breakpoint, slot  bytes in the code, and the copies that run instead
 *     patch, arena, records  jumps to stubs, the places of those, what they write
 *     inject        system calls on the target's behalf
 *     forker        copies of a stopped program
 *     module, elf_cache; frames, unwind
 */
#ifndef RFS_TRACER_PRIV_H
#define RFS_TRACER_PRIV_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>
#include <uthash.h>
#include <utlist.h>

#include "disasm/insn/insn.h"
#include "disasm/rewrite/stub.h"
#include "tracer/breakpoint.h"
#include "tracer/tracer.h"

#define RFS_PAGE 4096UL

/* What waits to be presented before the kernel is asked for more: a typed stop, or a status that was met elsewhere. */
struct rfs_pending {
	bool raw;
	pid_t tid;	      /* raw */
	int status;	      /* raw */
	struct rfs_stop stop; /* otherwise */
	struct rfs_pending *prev, *next;
};

struct rfs_tracer {
	struct rfs_task *tasks; /* hash by tid: all that the kernel still has, as far as we know */
	struct rfs_task *gone;	/* list: presented as gone, not yet forgotten */
	struct rfs_task *last;	/* the task found last; NULL or in tasks */
	struct rfs_pending *queue;
	struct rfs_decoder *decoder;
	pid_t root;	/* of the process that was launched, and of its group */
	pid_t pid;	/* of the program that is meant; 0: not known yet */
	pid_t original; /* of a copy (forker.h): the process that was copied, not one of our tasks; lends the decoder;
			   else 0 */
	bool killing;	/* rfs_tracer_kill() was called: only deaths are presented */
	bool trap_rdtsc, trap_cpuid;
	bool cpuid_shows; /* … which the processor refused */
	bool watches;	  /* a debug register was set */
	bool has_random;
	unsigned char random[16];
	double cpu_gone; /* seconds used by processes that have ended */

	/* the ticks that get waitpid() out of its sleep, see wait.c */
	timer_t timer;
	bool has_timer;
	int period_ms; /* 0: not armed */
	volatile sig_atomic_t ticked;
};

enum rfs_task_state { RFS_TASK_RUNNING, RFS_TASK_STOPPED, RFS_TASK_GONE };

struct rfs_task {
	pid_t tid, pid;
	struct rfs_tracer *tracer;
	struct rfs_space *space; /* NULL until the creator's event names the owner */
	enum rfs_task_state state;
	enum rfs_stop_kind kind; /* of the last stop presented */
	bool announced;		 /* RFS_STOP_NEW, or RFS_STOP_EXEC of the first one, was presented */
	bool held;		 /* its first status came before its maker's event */
	int held_status;
	int group_stopped; /* its first stop was a group stop by this signal: presented after NEW is resumed */
	bool stepping;	   /* resumed with PTRACE_SINGLESTEP */
	bool listening;	   /* resumed with PTRACE_LISTEN */
	bool left_syscall; /* an event inside a system call, and inject.c has gone on to its exit */
	rfs_addr passing;  /* the breakpoint that was presented and not executed yet; 0: none */
	rfs_addr start;	   /* made by fork inside a slot: its real start address; 0: nothing to correct */
	rfs_addr inside;   /* is before this instruction of a patch, which it enters when it is resumed; 0: is not */
	struct rfs_stub_control *control; /*stub_buffer.c; NULL: none */
	struct rfs_stub_record *left; /* records that it wrote before it lost that and that were not taken yet; owned */
	size_t n_left;
	bool foreign_gs; /* made by fork: gs points to what is its maker's */
	double cpu;	 /* leader: seconds used by the process, at the last exit of one of its threads */

	struct user_regs_struct regs;
	bool regs_valid, regs_dirty, rip_dirty; /* rip_dirty: nothing but rip was changed, by us */
	unsigned char *xstate;			/* PTRACE_GETREGSET NT_X86_XSTATE, allocated at first use */
	bool xstate_valid;
	void *data;

	UT_hash_handle hh;			  /* tracer->tasks */
	struct rfs_task *prev, *next;		  /* tracer->gone */
	struct rfs_task *space_prev, *space_next; /* space->tasks, while alive */
};

/* How the instruction under a breakpoint is executed. */
enum rfs_pass {
	RFS_PASS_SKIP,	  /* no effect but the next address */
	RFS_PASS_EMULATE, /* control transfer */
	RFS_PASS_COPY,	  /* out of line; falls back to STEP if no slot is in reach */
	RFS_PASS_TRAP,	  /* int3: the target gets its SIGTRAP */
	RFS_PASS_STEP,	  /* in place */
};

struct rfs_slot;

struct rfs_breakpoint {
	rfs_addr address;
	struct rfs_space *space;
	unsigned uses;
	uint8_t original; /* the byte under it */
	bool guarded;	  /* by the tests of the stub there: that traps, and the byte is the patch's */
	bool looked;	  /* the next three are valid: rfs_breakpoint_look() */
	bool doubtful;	  /* rip - 1 does not prove a hit: the program may get to address + 1 itself */
	enum rfs_pass pass;
	bool lent;	       /* insn belongs to the original of this copy (forker.h) */
	struct rfs_insn *insn; /* NULL: none that could be decoded, pass is STEP */
	struct rfs_slot *slot; /* NULL until the first pass */
	void *data;
	UT_hash_handle hh;
};

/* Breakpoints of a page, so that reads of other pages pay one look-up. */
struct rfs_code_page {
	uint64_t number;
	size_t breakpoints;
	UT_hash_handle hh;
};

struct rfs_region;
struct rfs_module;
struct rfs_module_entry;
struct rfs_unwind;

struct rfs_space {
	struct rfs_tracer *tracer;
	unsigned references;	/* task objects, dead ones included until they are forgotten */
	struct rfs_task *tasks; /* list, alive ones */
	int mem;		/* /proc/PID/mem; bound to the address space, not to the task it was opened through.
				 * -1: not yet, in a copy: most never need it */
	rfs_addr gate;		/* a system call instruction and an int3; 0: none. See exec.c */
	rfs_addr trampolines;	/* 0: none */
	struct rfs_breakpoint *breakpoints; /* hash by address */
	struct rfs_code_page *pages;
	struct rfs_region *regions;  /* slot.c */
	struct rfs_slot *slots;	     /* hash by the original's address: never reused for another instruction */
	struct rfs_slot *lent_slots; /* of a copy: those of its original, which never change; searched last */

	struct rfs_stub_buffer *records; /*stub_buffer.c; NULL: none */
	struct rfs_arena *arenas;	 /* arena.c */
	struct rfs_arena *lent_arenas;	 /* a copy's: from here on they are its original's */
	struct rfs_patches *patches;	 /* patch.c */

	/* module.c */
	struct rfs_module_entry **modules;  /* ascending by number */
	struct rfs_module **public_modules; /* the same, as rfs_modules() gives them */
	struct rfs_module_entry **by_start;
	size_t n_modules;
	unsigned next_module;
	rfs_addr debug_entry; /* the program's DT_DEBUG; 0: not looked for, or none */
	rfs_addr changed;     /* the interpreter's notification point; 0: none */
	bool left_out;	      /* something that was loaded cannot be read */
	struct rfs_breakpoint *changed_breakpoint;
	struct rfs_unwind *unwind; /* unwind.c */
};

/* Bytes between trampolines. */
#define RFS_TRAMPOLINE_STEP 16
/* In the gate page, after the trampolines: room for forker.c's loop. */
#define RFS_GATE_FORK 512

/* task.c */
struct rfs_task *rfs_task_new(struct rfs_tracer *tracer, pid_t tid); /* NULL: no memory */
void rfs_task_join_space(struct rfs_task *task, struct rfs_space *space);
void rfs_task_leave_space(struct rfs_task *task);
/* The kernel has it no longer: out of the look-up tables, still the caller's until rfs_task_forget(). */
void rfs_task_retire(struct rfs_task *task);
/* Writes changed registers. 0, -ESRCH. */
int rfs_task_flush(struct rfs_task *task) __attribute__((warn_unused_result));
/* Sets rip alone: cheaper to write back than rfs_task_regs_mut(). */
void rfs_task_set_rip(struct rfs_task *task, rfs_addr rip);
/* What was read of a stop is worth nothing any more. */
void rfs_task_invalidate(struct rfs_task *task);

/* proc.c */
double rfs_process_cpu_seconds(pid_t pid); /* of the whole process; 0 if it is gone */

/* wait.c */
int rfs_queue_raw(struct rfs_tracer *tracer, pid_t tid, int status) __attribute__((warn_unused_result));
int rfs_queue_stop(struct rfs_tracer *tracer, const struct rfs_stop *stop) __attribute__((warn_unused_result));
void rfs_wait_release(struct rfs_tracer *tracer); /* timer and queue */
/* waitpid() for one task; a status that says it is gone is queued and gives -ESRCH. */
int rfs_wait_task(struct rfs_task *task, int *status) __attribute__((warn_unused_result));

/* event.c: turns one status into a stop. 1 and *out; 0 nothing to present (or queued); -ENOMEM. */
int rfs_event_present(struct rfs_tracer *tracer, pid_t tid, int status, struct rfs_stop *out)
	__attribute__((warn_unused_result));
/* A queued stop is about to be given to the caller. False if its task is gone meanwhile. */
bool rfs_event_give(const struct rfs_stop *stop);

/* exec.c: task reported PTRACE_EVENT_EXEC. Queues what is to be presented. 0, -ENOMEM. */
int rfs_exec_present(struct rfs_task *task) __attribute__((warn_unused_result));

/* resume.c: the only place that resumes a task. 0, -ESRCH. */
int rfs_task_continue(struct rfs_task *task, int request, int signo) __attribute__((warn_unused_result));
/* The same if it does not matter whether the task still exists: its end is reported anyway. */
void rfs_task_let_go(struct rfs_task *task, int request);

/* space.c */
int rfs_space_new(struct rfs_task *task, struct rfs_space **out) __attribute__((warn_unused_result));
void rfs_space_put(struct rfs_space *space); /* gives one reference back */
/* The space of a process that was forked from parent: same bytes without the breakpoints. */
int rfs_space_fork(struct rfs_space *parent, struct rfs_task *child, struct rfs_space **out)
	__attribute__((warn_unused_result));
/* The same of from's with all that is known of it: breakpoints (and their data), patches, slots, modules (and theirs).
 */
int rfs_space_copy(const struct rfs_task *from, struct rfs_task *copy, struct rfs_space **out)
	__attribute__((warn_unused_result));
/* Code bytes, readable or not, writable or not. 0, -EFAULT, -ESRCH. */
int rfs_space_peek(struct rfs_space *space, rfs_addr address, void *buf, size_t n) __attribute__((warn_unused_result));
int rfs_space_poke(struct rfs_space *space, rfs_addr address, const void *buf, size_t n)
	__attribute__((warn_unused_result));

/* breakpoint.c: bytes */
/* True if a page of [address, address + n) has breakpoints. */
bool rfs_breakpoint_near(const struct rfs_space *space, rfs_addr address, size_t n);
/* buf was read from there: writes the program's own bytes over the breakpoints in it. */
void rfs_breakpoint_hide(const struct rfs_space *space, rfs_addr address, unsigned char *buf, size_t n);
/* buf is about to be written there: writes the breakpoints into it. */
void rfs_breakpoint_cover(const struct rfs_space *space, rfs_addr address, unsigned char *buf, size_t n);
/* buf was written there: it is what the breakpoints hide from now on. */
void rfs_breakpoint_replace(struct rfs_space *space, rfs_addr address, const unsigned char *buf, size_t n);
/* The patch at address, with its tests, is about to go: the breakpoint there guards itself. */
void rfs_breakpoint_unguard(struct rfs_space *space, rfs_addr address);
/* Forgets all of [start, end) without writing a byte: the memory is gone. */
void rfs_breakpoint_drop(struct rfs_space *space, rfs_addr start, rfs_addr end);
void rfs_breakpoints_release(struct rfs_space *space);
/* Takes all of space's breakpoints out of a copy of its memory, child. */
void rfs_breakpoint_uncover(const struct rfs_space *space, struct rfs_space *child);

/* Decodes the instruction under it, if that was not done yet. */
void rfs_breakpoint_look(struct rfs_breakpoint *breakpoint);
/* Does now what the first pass of each would do, through a stopped task, so that copies of the space need not. 0,
 * -ESRCH. */
int rfs_breakpoints_ready(struct rfs_task *task) __attribute__((warn_unused_result));
/* After the slots. 0, -ENOMEM. */
int rfs_breakpoints_copy(const struct rfs_space *from, struct rfs_space *to) __attribute__((warn_unused_result));

/* step_over.c: executes the instruction that task->passing names, or the one of a patch, or sets it up. */
enum rfs_passed {
	RFS_PASSED_READY, /* registers are set: resume it with *request */
	RFS_PASSED_STOP,  /* the instruction is done and what to present is queued; the task stays stopped */
	RFS_PASSED_GONE,
};
enum rfs_passed rfs_breakpoint_pass(struct rfs_task *task, int *request);
/* insn, which is at rip under a patch, must be stepped. */
enum rfs_passed rfs_patch_pass(struct rfs_task *task, const struct rfs_insn *insn, int *request);

/*
 * step.c: one step with the breakpoint removed, while no other task of the space runs. 0: task is stopped again and
 * *status says how; -ESRCH; -ENOMEM.
 */
int rfs_step_in_place(struct rfs_task *task, const struct rfs_breakpoint *breakpoint, int *status)
	__attribute__((warn_unused_result));

/* slot.c */
/* The slot for insn. NULL: none in reach, or the instruction cannot be copied. */
struct rfs_slot *rfs_slot_get(struct rfs_task *task, const struct rfs_insn *insn);
rfs_addr rfs_slot_address(const struct rfs_slot *slot);
/* True if rip is in a slot: the value that it would have without. *before: the instruction has not run yet. */
bool rfs_slot_translate(const struct rfs_space *space, rfs_addr rip, rfs_addr *original, bool *before);
void rfs_slot_release_all(struct rfs_space *space);
struct rfs_slot *rfs_slot_find(const struct rfs_space *space, rfs_addr original); /* NULL: there is none */
int rfs_slots_copy(const struct rfs_space *from, struct rfs_space *to) __attribute__((warn_unused_result));

/* Maps memory for code at exactly this address. False if it is taken, or may not be mapped. */
bool rfs_space_map_code(struct rfs_task *task, rfs_addr at, size_t size);

/*stub_buffer.c */
/* Gives the task a control block, at its first stop. */
void rfs_stub_buffer_join(struct rfs_task *task);
void rfs_stub_buffer_part(struct rfs_task *task);
/* Adds to what the task has written. False if there is no room. */
bool rfs_stub_buffer_add(struct rfs_task *task, const struct rfs_stub_record *more, size_t n);
/* Whether a fault at address says that the buffer is full. */
bool rfs_stub_buffer_full_at(const struct rfs_space *space, rfs_addr address);
/* space is a copy of from's, and to its one task. 0, -ENOMEM. */
int rfs_stub_buffer_copy(const struct rfs_task *from, struct rfs_task *to, struct rfs_space *space)
	__attribute__((warn_unused_result));
void rfs_stub_buffer_release(struct rfs_space *space);

/* arena.c */
/*
 * A place of size bytes for a stub that a jump at `jump` can reach, if bit i of starts is set, byte i of the jump's
 * distance must trap. 0: there is none.
 */
rfs_addr rfs_arena_get(struct rfs_task *task, rfs_addr jump, unsigned starts, size_t size);
/* Fills it; the target sees it after rfs_arena_flush() (0, -EFAULT, -ESRCH). */
void rfs_arena_write(struct rfs_space *space, rfs_addr address, const uint8_t *bytes, size_t n);
int rfs_arena_flush(struct rfs_space *space) __attribute__((warn_unused_result));
bool rfs_arena_holds(const struct rfs_space *space, rfs_addr address);
/* to is a copy of from, which lives longer. */
void rfs_arenas_lend(const struct rfs_space *from, struct rfs_space *to);
void rfs_arena_release(struct rfs_space *space);

/* patch.c */
/* If the task is in a stub, shows the program's state (rfs_stub_leave()). False if it is not. */
bool rfs_patch_leave(struct rfs_task *task, bool fault);
/* Whether an instruction other than the first of a patch begins there. */
bool rfs_patch_is_inside(const struct rfs_space *space, rfs_addr address);
/* A task inside a patch (task->inside) is about to be resumed: moves it into the stub. */
void rfs_patch_enter(struct rfs_task *task);
/*
 * The task is about to execute insn, which a patch replaced, outside of its stub: writes the records that the stub
 * would write. False if there is no room.
 */
bool rfs_patch_tell(struct rfs_task *task, const struct rfs_insn *insn);
/* The program's instruction at an address that a patch replaced. False if there is none. */
bool rfs_patch_insn(const struct rfs_space *space, rfs_addr address, struct rfs_insn *out);
/*
 * The address in the stub at which a task continues that stopped at a patch's tests. 0: no patch with tests begins
 * there.
 */
rfs_addr rfs_patch_passed(const struct rfs_space *space, rfs_addr address);
/*
 * address is the trap behind the tests of a stub, or, for a fault, one of the tests: the beginning of that patch. 0: it
 * is neither.
 */
rfs_addr rfs_patch_stopped(const struct rfs_space *space, rfs_addr address, bool fault);
/* buf was read from there: writes the program's own bytes over the patches in it. */
void rfs_patches_hide(const struct rfs_space *space, rfs_addr address, unsigned char *buf, size_t n);
/* Forgets all of [start, end) without writing a byte: the memory is gone. */
void rfs_patches_drop(struct rfs_space *space, rfs_addr start, rfs_addr end);
/* Takes all of space's patches out of a copy of its memory, child. */
void rfs_patches_uncover(const struct rfs_space *space, struct rfs_space *child);
int rfs_patches_copy(const struct rfs_space *from, struct rfs_space *to) __attribute__((warn_unused_result));
void rfs_patches_release(struct rfs_space *space);

/* module.c */
void rfs_modules_release(struct rfs_space *space);
int rfs_modules_copy(const struct rfs_space *from, struct rfs_space *to) __attribute__((warn_unused_result));
/* As rfs_module_at(), for unwind.c. */
struct rfs_module_entry *rfs_module_entry_at(const struct rfs_space *space, rfs_addr address);

/* unwind.c */
void rfs_unwind_release(struct rfs_space *space);
void rfs_unwind_flush(struct rfs_space *space); /* modules changed: what was learnt is forgotten */
/* Finds the tables of all modules now, so that copies of the space need not. 0, -ENOMEM. */
int rfs_unwind_ready(struct rfs_task *task) __attribute__((warn_unused_result));
/* to is a copy of from, with the same modules. */
void rfs_unwind_share(const struct rfs_space *from, struct rfs_space *to);

#endif
