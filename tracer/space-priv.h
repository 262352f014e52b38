/* space-priv.h - one address space of the target. The comment of a field names the file that maintains the field. */
#ifndef RFS_TRACER_SPACE_PRIV_H
#define RFS_TRACER_SPACE_PRIV_H

#include <stdint.h>

#include "disasm/addr.h"

struct rfs_tracer;
struct rfs_task;
struct rfs_breakpoint;
struct rfs_code_page;
struct rfs_region;
struct rfs_slot;
struct rfs_stub_buffer;
struct rfs_arena;
struct rfs_patches;
struct rfs_modules;
struct rfs_unwind;

#define RFS_PAGE 4096UL

struct rfs_space {
	struct rfs_tracer *tracer;
	unsigned references;	/* how many tasks refer to the space; a dead task counts until rfs_task_forget() */
	struct rfs_task *tasks; /* list of the tasks that are alive */
	int mem; /* code.c: /proc/PID/mem of a task. It works even after that task's end, because it is bound to the
		    address space. -1: not open, because most copies do not need it */
	uint64_t writes;		    /* memory.c and code.c: incremented by each write */
	rfs_addr gate;			    /* trampoline.c: the gate page; 0: none */
	rfs_addr trampolines;		    /* trampoline.c: the first trampoline; 0: none */
	struct rfs_breakpoint *breakpoints; /* breakpoint_table.c: hash by address */
	struct rfs_breakpoint *wanted; /* breakpoint.c: list of those that rfs_breakpoints_prepare() will prepare */
	struct rfs_code_page *pages;   /* breakpoint_table.c: hash by number of the page */
	/*
	 * In a copy: the tables of its original (forker.h), for what the copy's own tables do not have. A program may
	 * have 50,000 breakpoints, of which a run meets a few dozen. So a breakpoint is copied when it is first needed.
	 */
	struct rfs_breakpoint *lent_breakpoints;
	struct rfs_code_page *lent_pages;
	struct rfs_region *regions;  /* slot.c: list */
	struct rfs_slot *slots;	     /* slot.c: hash by the address of the original instruction */
	struct rfs_slot *lent_slots; /* in a copy: the slots of its original, searched after `slots` */

	struct rfs_stub_buffer *records; /* stub_buffer.c; NULL: none */
	struct rfs_arena *arenas;	 /* arena.c */
	struct rfs_arena *lent_arenas;	 /* in a copy: from this element on, `arenas` belongs to its original */
	struct rfs_patches *patches;	 /* patch.c */
	struct rfs_modules *modules;	 /* module.c; NULL: none yet */
	struct rfs_unwind *unwind;	 /* unwind.c */
};

int rfs_space_new(struct rfs_task *task, struct rfs_space **out) __attribute__((warn_unused_result));
void rfs_space_put(struct rfs_space *space); /* drops one reference; the last one frees the space */
/* Makes the space of `child`, a process that the target forked. The new space has the program's bytes as in `parent`,
 * but no breakpoints and patches. */
int rfs_space_fork(struct rfs_space *parent, struct rfs_task *child, struct rfs_space **out)
	__attribute__((warn_unused_result));
/* Makes the space of `copy`, a copy of the task `from` (forker.h), with all that the tracer knows of the original
 * space: breakpoints and modules with their data, patches and slots. */
int rfs_space_copy(const struct rfs_task *from, struct rfs_task *copy, struct rfs_space **out)
	__attribute__((warn_unused_result));

#endif
