/*
 * gdb_moment.h - moments of a run, and the way to them.
 *
 * A replay executes the same operations each time, so a moment is told by counting: first choices of the policy, then,
 * since the last choice, marks that the running threads pass. A mark is a breakpoint, a watchpoint, a signal, or steps
 * of a thread. "Choice 7; breakpoint A for the 3rd time; 2 steps of thread 1" is a moment with two legs. Choices and
 * breakpoints are passed at full speed. Only the steps of the last leg are single steps.
 */
#ifndef RFS_GDB_MOMENT_H
#define RFS_GDB_MOMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"

enum rfs_gdb_mark {
	RFS_MARK_STEP,	 /* the thread has executed an instruction, or rfsup has for it */
	RFS_MARK_BREAK,	 /* a thread is at the breakpoint at `address` */
	RFS_MARK_WATCH,	 /* a thread has accessed the watched memory at `address` */
	RFS_MARK_SIGNAL, /* a thread is about to receive a signal */
	RFS_MARK_EXIT,	 /* the program is about to exit */
	RFS_MARK_CHOICE, /* before the next choice of the policy is executed */
	RFS_MARK_END,	 /* no thread can continue */
};

/* A number of marks of one kind. */
struct rfs_gdb_leg {
	enum rfs_gdb_mark mark;
	uint64_t count;
	int thread;	  /* RFS_MARK_STEP */
	rfs_addr address; /* RFS_MARK_STEP: where the first step began; 0: in the kernel */
	unsigned size;	  /* RFS_MARK_WATCH, as `reads` */
	bool reads;
};

/* Zeroed: where main begins, the start of history. */
struct rfs_gdb_moment {
	uint64_t choices; /* how many choices were executed */
	struct rfs_gdb_leg *legs;
	size_t n;
};

void rfs_gdb_moment_set(struct rfs_gdb_moment *moment, const struct rfs_gdb_moment *from);
/* The moment right after this many choices, without legs. */
void rfs_gdb_moment_after(struct rfs_gdb_moment *moment, uint64_t choices);
/* Right before choice number `choices`, counted from 0. */
void rfs_gdb_moment_before(struct rfs_gdb_moment *moment, uint64_t choices);
/* Adds a leg. It is joined with the last one if both count the same marks. */
void rfs_gdb_moment_add(struct rfs_gdb_moment *moment, const struct rfs_gdb_leg *leg);
/* Takes one mark of the last leg away. */
void rfs_gdb_moment_shorten(struct rfs_gdb_moment *moment);
bool rfs_gdb_moment_is_start(const struct rfs_gdb_moment *moment);
void rfs_gdb_moment_release(struct rfs_gdb_moment *moment);

/* The way to a moment. */
struct rfs_gdb_course {
	struct rfs_gdb_moment goal;
	bool near;  /* as many choices as those of the goal were executed */
	size_t leg; /* near: the current leg, and how many of its marks were passed */
	uint64_t count;
};

/* This many choices were executed now. True if this is the goal. */
bool rfs_gdb_course_choices(struct rfs_gdb_course *course, uint64_t choices);
/* A thread has passed this mark, once. True if this is the goal. */
bool rfs_gdb_course_pass(struct rfs_gdb_course *course, const struct rfs_gdb_leg *mark);
/* How many of these marks can be passed without reaching the end of the current leg. */
uint64_t rfs_gdb_course_room(const struct rfs_gdb_course *course, const struct rfs_gdb_leg *mark);
/* A thread has passed this mark n times; there was room for it. */
void rfs_gdb_course_skip(struct rfs_gdb_course *course, const struct rfs_gdb_leg *mark, uint64_t n);
/* The steps that have to be made now, or NULL. */
const struct rfs_gdb_leg *rfs_gdb_course_steps(const struct rfs_gdb_course *course);

#endif
