/* launch-priv.h - what the child does between clone and execve. launch.c prepares it. */
#ifndef RFS_TRACER_LAUNCH_PRIV_H
#define RFS_TRACER_LAUNCH_PRIV_H

#include <linux/filter.h>

#include "tracer/tracer.h"

/* The steps of the child, in their order. */
enum rfs_launch_step {
	RFS_STEP_DESCRIPTORS,
	RFS_STEP_CHDIR,
	RFS_STEP_ASLR, /* a failure is reported, but the child continues */
	RFS_STEP_TSC,
	RFS_STEP_LIMIT,
	RFS_STEP_CORE,
	RFS_STEP_PRIVILEGES,
	RFS_STEP_FILTER,
	RFS_STEP_EXEC,
};

/* What the child writes to the pipe if a step fails: the step and its errno. */
struct rfs_launch_report {
	enum rfs_launch_step step;
	int error;
};

struct rfs_launch_child {
	const struct rfs_launch *launch;
	struct sock_fprog filter;
	int go;	    /* the child reads one byte here when it is seized; end of file: the parent is gone */
	int other;  /* the parent's end of `go`; the child must close it, otherwise no end of file arrives */
	int report; /* the child writes struct rfs_launch_report here; execve closes it */
};

/*
 * Runs in the child. Until execve, the child may share its memory with the parent, errno included. Therefore it writes
 * only to its own stack and makes only async-signal-safe calls.
 */
void rfs_launch_child(const struct rfs_launch_child *child) __attribute__((noreturn));

#endif
