/*
 * run_observer.h - the functions through which a debugger observes a run.
 *
 * The room gdb/ sets run->observer. The rooms below gdb/ must not call functions of gdb/ directly, so they call the
 * observer.
 */
#ifndef RFS_RUN_OBSERVER_H
#define RFS_RUN_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/addr.h"
#include "tracer/tracer.h"

struct rfs_run;
struct rfs_thread;

struct rfs_run_observer {
	/* The thread is about to run. May change *how and *signo, and may end the run. */
	void (*resumes)(struct rfs_run *run, struct rfs_thread *thread, enum rfs_resume *how, int *signo);
	/* True if the observer has changed anything in the target. */
	bool (*has_changed)(const struct rfs_run *run);
};

#endif
