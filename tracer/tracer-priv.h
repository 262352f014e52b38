/*
 * tracer-priv.h - the tracer's structs, open to the files of this folder.
 *
 *     file          job
 *     launch        fork, seize, filter, execve (launch_child.c: the child's side)
 *     tracer        what a caller does: waits for a stop, resumes, ends it all
 *     wait          the one function that waits; queue: what waits to be presented
 *     event         from a raw status to a typed stop: whose child, whose breakpoint, which signal
 *     exec          a new program: who is left, auxiliary vector, gate page
 *     resume        the one function that lets a task go on
 *     task          life of a task; regs: its registers; proc: what /proc says of it
 *     space         address spaces; memory, code: their bytes; gate: our page in each
 *     breakpoint, slot  what stands in the code, and the copies that run instead
 *     patch, arena, records  jumps to stubs, the places of those, what they write
 *     inject        system calls on the target's behalf
 *     forker        copies of a stopped program
 *     module, elf_cache; frames, unwind
 */
#ifndef RFS_TRACER_PRIV_H
#define RFS_TRACER_PRIV_H

#include <libunwind.h>
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
	pid_t original; /* a copy's (forker.h): what it was copied from, no task of ours; it lends the decoder. Else 0
			 */
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
	struct rfs_space *space; /* NULL until the maker's event tells whose it is */
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
	rfs_addr start;	   /* made by fork inside a slot: where it really starts; 0: nothing to correct */
	rfs_addr inside;   /* stands before this instruction of a patch, which it enters when it goes on; 0: does not */
	struct rfs_stub_control *control; /*stub_buffer.c; NULL: none */
	struct rfs_stub_record *left;	  /* what it wrote before it lost that, and nobody took yet; owned */
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
	RFS_PASS_COPY,	  /* out of line; falls back to STEP where no slot is in reach */
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
	bool doubtful;	  /* rip - 1 is no proof of a hit: the program may get to address + 1 by itself */
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
	rfs_addr gate;		/* a system call instruction and an int3; 0: none. See gate.c */
	rfs_addr trampolines;	/* 0: none */
	struct rfs_breakpoint *breakpoints; /* hash by address */
	struct rfs_code_page *pages;
	struct rfs_region *regions;  /* slot.c */
	struct rfs_slot *slots;	     /* hash by the original's address: never reused for another instruction */
	struct rfs_slot *lent_slots; /* a copy's: those of its original, which nobody changes; looked at last */

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

/* gate.c */
/* Offsets in the gate page: behind the system call instruction and the int3; room for forker.c's loop. */
#define RFS_GATE_END 3
#define RFS_GATE_FORK 512
/* Maps the page for a program that has not begun, through its one task. Without it space->gate stays 0. */
void rfs_gate_open(struct rfs_task *task);
bool rfs_gate_is_trampoline(const struct rfs_space *space, rfs_addr address);

/* regs.c */
/* Writes changed registers. 0, -ESRCH. */
int rfs_task_flush(struct rfs_task *task) __attribute__((warn_unused_result));
/* Sets rip alone: cheaper to write back than rfs_task_regs_mut(). */
void rfs_task_set_rip(struct rfs_task *task, rfs_addr rip);
/* What was read of a stop is worth nothing any more. */
void rfs_task_invalidate(struct rfs_task *task);

/* task.c */
struct rfs_task *rfs_task_new(struct rfs_tracer *tracer, pid_t tid); /* NULL: no memory */
void rfs_task_join_space(struct rfs_task *task, struct rfs_space *space);
void rfs_task_leave_space(struct rfs_task *task);
/* The kernel has it no longer: out of the look-up tables, still the caller's until rfs_task_forget(). */
void rfs_task_retire(struct rfs_task *task);

/* proc.c */
double rfs_process_cpu_seconds(pid_t pid); /* of the whole process; 0 where it is gone */

/* queue.c */
int rfs_queue_raw(struct rfs_tracer *tracer, pid_t tid, int status) __attribute__((warn_unused_result));
int rfs_queue_stop(struct rfs_tracer *tracer, const struct rfs_stop *stop) __attribute__((warn_unused_result));
struct rfs_pending rfs_queue_take(struct rfs_tracer *tracer); /* the first; there must be one */
void rfs_queue_release(struct rfs_tracer *tracer);

/* wait.c */
/* When a wait of so long ends, for rfs_wait_any(); 0: never. */
int64_t rfs_wait_deadline(int timeout_ms);
/* waitpid() for all. 1 and *tid, *status; 0 nothing (time, or a signal to us); -errno. */
int rfs_wait_any(struct rfs_tracer *tracer, int timeout_ms, int64_t deadline, pid_t *tid, int *status)
	__attribute__((warn_unused_result));
void rfs_wait_release(struct rfs_tracer *tracer); /* the timer */
/* waitpid() for one task; a status that says it is gone is queued and gives -ESRCH. */
int rfs_wait_task(struct rfs_task *task, int *status) __attribute__((warn_unused_result));

/* event.c: turns one status into a stop. 1 and *out; 0 nothing to present (or queued); -ENOMEM. */
int rfs_event_present(struct rfs_tracer *tracer, pid_t tid, int status, struct rfs_stop *out)
	__attribute__((warn_unused_result));
/* A queued stop is about to be given to the caller. False where its task is gone meanwhile. */
bool rfs_event_give(const struct rfs_stop *stop);

/* exec.c: task reported PTRACE_EVENT_EXEC. Queues what is to be presented. 0, -ENOMEM. */
int rfs_exec_present(struct rfs_task *task) __attribute__((warn_unused_result));

/* inject.c */
/* Maps memory for code at exactly this address. False where it is taken, or may not be mapped. */
bool rfs_space_map_code(struct rfs_task *task, rfs_addr at, size_t size);

/* resume.c: the one place where a task is let go. 0, -ESRCH. */
int rfs_task_continue(struct rfs_task *task, int request, int signo) __attribute__((warn_unused_result));
/* The same where it does not matter whether it is still there: its end is reported anyway. */
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

/* code.c */
/* The memory as tid sees it now, which stays within reach when that task has gone. */
void rfs_space_open(struct rfs_space *space, pid_t tid);
void rfs_space_close(struct rfs_space *space);
/* Code bytes, readable or not, writable or not. 0, -EFAULT, -ESRCH. */
int rfs_space_peek(struct rfs_space *space, rfs_addr address, void *buf, size_t n) __attribute__((warn_unused_result));
int rfs_space_poke(struct rfs_space *space, rfs_addr address, const void *buf, size_t n)
	__attribute__((warn_unused_result));

/* breakpoint_table.c */
#define RFS_TRAP_BYTE 0xcc
/* A new one; its byte is still to be written. 0 and *out, -ENOMEM. */
int rfs_breakpoint_enter(struct rfs_space *space, rfs_addr address, uint8_t original, struct rfs_breakpoint **out)
	__attribute__((warn_unused_result));
/* Forgets it; its byte is left as it is. */
void rfs_breakpoint_discard(struct rfs_space *space, struct rfs_breakpoint *breakpoint);
/* True where a page of [address, address + n) has breakpoints. */
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

/* Decodes what stands under it, where that was not done yet. */
void rfs_breakpoint_look(struct rfs_breakpoint *breakpoint);
/* Does now what the first pass of each would do, through a stopped task, so that copies of the space need not. 0,
 * -ESRCH. */
int rfs_breakpoints_ready(struct rfs_task *task) __attribute__((warn_unused_result));
/* After the slots. 0, -ENOMEM. */
int rfs_breakpoints_copy(const struct rfs_space *from, struct rfs_space *to) __attribute__((warn_unused_result));

/* step_over.c: executes the instruction that task->passing names, or the one of a patch, or sets it up. */
enum rfs_passed {
	RFS_PASSED_READY, /* registers are set: let it go on with *request */
	RFS_PASSED_STOP,  /* the instruction is done and what to present is queued; the task stays stopped */
	RFS_PASSED_GONE,
};
enum rfs_passed rfs_breakpoint_pass(struct rfs_task *task, int *request);
/* insn, which stands at rip under a patch, is to be stepped. */
enum rfs_passed rfs_patch_pass(struct rfs_task *task, const struct rfs_insn *insn, int *request);

/* step.c: one step with the breakpoint taken away, while nobody else of the space runs. 0: task is stopped again and
 * *status says how; -ESRCH; -ENOMEM. */
int rfs_step_in_place(struct rfs_task *task, const struct rfs_breakpoint *breakpoint, int *status)
	__attribute__((warn_unused_result));

/* slot.c */
/* The slot for insn. NULL: none in reach, or the instruction cannot be copied. */
struct rfs_slot *rfs_slot_get(struct rfs_task *task, const struct rfs_insn *insn);
rfs_addr rfs_slot_address(const struct rfs_slot *slot);
/* True where rip stands in a slot: what it would be without. *before: the instruction has not run yet. */
bool rfs_slot_translate(const struct rfs_space *space, rfs_addr rip, rfs_addr *original, bool *before);
void rfs_slot_release_all(struct rfs_space *space);
struct rfs_slot *rfs_slot_find(const struct rfs_space *space, rfs_addr original); /* NULL: there is none */
int rfs_slots_copy(const struct rfs_space *from, struct rfs_space *to) __attribute__((warn_unused_result));

/*stub_buffer.c */
/* Gives the task a control block, at its first stop. False if there is none left. */
bool rfs_stub_buffer_join(struct rfs_task *task);
/* No task gets a control block any more. False if there is no buffer, or that was so already. */
bool rfs_stub_buffer_set_given_up(struct rfs_space *space);
void rfs_stub_buffer_part(struct rfs_task *task);
/* Adds to what the task has written. False where there is no room. */
bool rfs_stub_buffer_add(struct rfs_task *task, const struct rfs_stub_record *more, size_t n);
/* Whether a fault at address says that the buffer is full. */
bool rfs_stub_buffer_full_at(const struct rfs_space *space, rfs_addr address);
/* space is a copy of from's, and to its one task. 0, -ENOMEM. */
int rfs_stub_buffer_copy(const struct rfs_task *from, struct rfs_task *to, struct rfs_space *space)
	__attribute__((warn_unused_result));
void rfs_stub_buffer_release(struct rfs_space *space);

/* arena.c */
/*
 * A place of size bytes for a stub that a jump at `jump` can reach, where bit i of starts asks that byte i of the
 * jump's distance traps. 0: there is none.
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
struct rfs_patch {
	rfs_addr start, stub;
	const struct rfs_plan_group *group; /* borrowed */
	uint32_t first;			    /* number of its first record */
	uint8_t *original;		    /* group->length bytes */
};

/* Two orders of the same patches. */
struct rfs_patches {
	struct rfs_patch **by_start, **by_stub;
	size_t n, room;
	struct rfs_stub stub; /* rebuilt for whoever stands in it */
};

/* The patch that took the byte at address; the one whose stub does. NULL: none. Borrowed. */
struct rfs_patch *rfs_patch_find(const struct rfs_space *space, rfs_addr address);
struct rfs_patch *rfs_patch_of_stub(const struct rfs_space *space, rfs_addr address);

/* patch_task.c */
/* The task stands in a stub: shows the program's state (rfs_stub_leave()). False where it does not. */
bool rfs_patch_leave(struct rfs_task *task, bool fault);
/* Whether an instruction other than the first of a patch begins there. */
bool rfs_patch_is_inside(const struct rfs_space *space, rfs_addr address);
/* A task that stands inside a patch (task->inside) is about to go on: takes it into the stub. */
void rfs_patch_enter(struct rfs_task *task);
/* The task is about to execute insn, which a patch took, outside of its stub: writes what that would. False where there
 * is no room. */
bool rfs_patch_tell(struct rfs_task *task, const struct rfs_insn *insn);
/* The program's instruction at an address that a patch took. False where none did. */
bool rfs_patch_insn(const struct rfs_space *space, rfs_addr address, struct rfs_insn *out);
/* Where what stopped at a patch's tests goes on, in its stub. 0: no patch with tests begins there. */
rfs_addr rfs_patch_passed(const struct rfs_space *space, rfs_addr address);
/* address is the trap behind the tests of a stub, or, for a fault, one of the tests: where that patch begins. 0: it is
 * none. */
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

/* unwind_cache.c */
/* Shared by copies of a program, as long as they have the same modules: what was learnt of an address holds for all. */
struct rfs_unwind {
	unw_addr_space_t space;
	unsigned references;
};
/* Modules changed, or the space goes: what was learnt is forgotten. */
void rfs_unwind_release(struct rfs_space *space);
/* to is a copy of from, with the same modules. */
void rfs_unwind_share(const struct rfs_space *from, struct rfs_space *to);

/* unwind.c */
/* Finds the tables of all modules now, so that copies of the space need not. 0, -ENOMEM. */
int rfs_unwind_ready(struct rfs_task *task) __attribute__((warn_unused_result));

#endif
