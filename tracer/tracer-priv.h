/*
 * tracer-priv.h - the state of one tracer, and the files of this folder, each with a header of its own.
 *
 * The files lie in layers. Each refers to the rows below its own and to files before it in its row, never upwards:
 *
 *     begin and end    tracer: what a caller does once a program runs; launch_child, filter, launch; forker
 *     stops            exec, event: from a raw status to a typed stop
 *     tasks            space, task: their lives; step_over: executes what stands in the code
 *     modules          module, elf_cache, frames, unwind; loader: how they are learnt
 *     code             breakpoint_table, patch, breakpoint, memory, patch_task: the bytes of ours and the program's own
 *     places           slot, arena, stub_buffer, gate: memory that we map in the target
 *     process          code, proc, queue, regs, stop, debugreg; resume, wait; inject, step
 *
 * One file waits (wait.c), one resumes (resume.c), one writes code bytes (code.c). No other does any of this to a task.
 * onlooker.c is for programs that are watched but not controlled; none of these files use it.
 */
#ifndef RFS_TRACER_PRIV_H
#define RFS_TRACER_PRIV_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "tracer/tracer.h"

struct rfs_decoder;
struct rfs_pending;

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

#endif
