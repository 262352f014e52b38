/* launch-priv.h - the child between clone and execve, as launch.c prepares it. */
#ifndef RFS_TRACER_LAUNCH_PRIV_H
#define RFS_TRACER_LAUNCH_PRIV_H

#include <linux/filter.h>

#include "tracer/tracer.h"

/* The step that the child reached. */
enum rfs_launch_step {
	RFS_STEP_DESCRIPTORS,
	RFS_STEP_CHDIR,
	RFS_STEP_ASLR, /* reported, but not a reason to give up */
	RFS_STEP_TSC,
	RFS_STEP_STACK,
	RFS_STEP_CORE,
	RFS_STEP_PRIVILEGES,
	RFS_STEP_FILTER,
	RFS_STEP_EXEC,
};

/* What the child reports through the pipe: a step that failed and its errno. */
struct rfs_launch_report {
	enum rfs_launch_step step;
	int error;
};

struct rfs_launch_child {
	const struct rfs_launch *launch;
	struct sock_fprog filter;
	int go;	    /* one byte comes when the parent has seized; end of file: the parent is gone */
	int other;  /* the parent's end of it; must be closed, otherwise no end of file arrives */
	int report; /* struct rfs_launch_report; closed by execve */
};

/*
 * Runs in the child, which may share its memory with the parent until execve, including errno. Therefore it writes only
 * to its own stack and makes only async-signal-safe calls.
 */
void rfs_launch_child(const struct rfs_launch_child *child) __attribute__((noreturn));

#endif
