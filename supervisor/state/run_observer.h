/*
 * run_observer.h - who looks on at a run without being part of it: a debugger. gdb/ fills the table; what lies below
 * calls it and knows no debugger.
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
	/* The thread is about to run. *how and *signo may change, and the run may have ended afterwards. */
	void (*resumes)(struct rfs_run *run, struct rfs_thread *thread, enum rfs_resume *how, int *signo);
	/* rfsup writes n bytes to the target's memory. */
	void (*writes)(struct rfs_run *run, rfs_addr address, size_t n);
	/* True if the observer has changed something of the target. */
	bool (*has_changed)(const struct rfs_run *run);
};

#endif
