/*
 * tracer-priv.h - the state of one tracer, and an overview of the files in this folder. Each file has its own header.
 *
 * The files form layers. A file uses only files in the rows below it, and files before it in its own row:
 *
 *     begin and end    tracer: what a caller does once a program runs; launch_child, filter, launch; forker
 *     stops            exec, event: from a raw status to a typed stop
 *     tasks            space, task: their lives; step_over: executes instructions under breakpoints and patches
 *     modules          module, elf_cache, frames, unwind; loader: finds them
 *     code             breakpoint_table, patch, breakpoint, memory, patch_task: our bytes and the program's own
 *     places           slot, arena, stub_buffer, gate: memory that we map in the target
 *     process          code, proc, queue, regs, stop, debugreg; resume, wait; inject, step
 *
 * Only wait.c waits for tasks, only resume.c resumes them, and only code.c writes code bytes. Their headers name the
 * exceptions. onlooker.c is for programs that are watched but not controlled; none of these files uses it.
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
	struct rfs_task *tasks; /* hash by tid: all tasks that have not ended, as far as we know */
	struct rfs_task *gone;	/* list: tasks that have ended, but are not freed yet */
	struct rfs_task *last;	/* the task that was looked up last; NULL or in tasks */
	struct rfs_pending *queue;
	struct rfs_decoder *decoder;
	pid_t root;	/* id of the process that was launched, and of its process group */
	pid_t pid;	/* process id of the selected program; 0: not known yet */
	pid_t original; /* in the tracer of a copy (forker.h): the process that was copied. It is not one of our tasks,
			   but its tracer lends us the decoder. Otherwise 0 */
	bool killing;	/* rfs_tracer_kill() was called: only deaths are presented */
	bool trap_rdtsc, trap_cpuid;
	bool cpuid_shows; /* trapping cpuid was requested, but the processor cannot do it */
	bool watches;	  /* a debug register was set */
	bool has_random;
	unsigned char random[16];
	double cpu_gone; /* CPU seconds of processes that have ended */

	/* the timer whose ticks interrupt waitpid() (wait.c) */
	timer_t timer;
	bool has_timer;
	int period_ms; /* 0: not armed */
	volatile sig_atomic_t ticked;
};

#endif
