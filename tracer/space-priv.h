/* space-priv.h - one address space. Each field belongs to the file named next to it. */
#ifndef RFS_TRACER_SPACE_PRIV_H
#define RFS_TRACER_SPACE_PRIV_H

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
	unsigned references;	/* task objects, dead ones included until they are forgotten */
	struct rfs_task *tasks; /* list, alive ones */
	int mem;		/* /proc/PID/mem; bound to the address space, not to the task it was opened through.
				 * -1: not open yet, because most copies never need it */
	rfs_addr gate;		/* a system call instruction and an int3; 0: none. See gate.c */
	rfs_addr trampolines;	/* gate.c; 0: none */
	struct rfs_breakpoint *breakpoints; /* breakpoint_table.c: hash by address */
	struct rfs_code_page *pages;
	struct rfs_region *regions;  /* slot.c */
	struct rfs_slot *slots;	     /* hash by the original's address: never reused for another instruction */
	struct rfs_slot *lent_slots; /* in a copy: the slots of its original, which do not change; searched last */

	struct rfs_stub_buffer *records; /* stub_buffer.c; NULL: none */
	struct rfs_arena *arenas;	 /* arena.c */
	struct rfs_arena *lent_arenas;	 /* in a copy: from this element on, the list belongs to its original */
	struct rfs_patches *patches;	 /* patch.c */
	struct rfs_modules *modules;	 /* module.c; NULL: none yet */
	struct rfs_unwind *unwind;	 /* unwind.c */
};

int rfs_space_new(struct rfs_task *task, struct rfs_space **out) __attribute__((warn_unused_result));
void rfs_space_put(struct rfs_space *space); /* drops one reference */
/* The space of a process that was forked from parent: the same bytes, but without breakpoints and patches. */
int rfs_space_fork(struct rfs_space *parent, struct rfs_task *child, struct rfs_space **out)
	__attribute__((warn_unused_result));
/* The space of `copy`, a copy of `from`, with all that the tracer knows: breakpoints and modules (with their data),
 * patches, slots.
 */
int rfs_space_copy(const struct rfs_task *from, struct rfs_task *copy, struct rfs_space **out)
	__attribute__((warn_unused_result));

#endif
