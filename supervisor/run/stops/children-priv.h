/* children-priv.h - what children.c and child_turns.c share. */
#ifndef RFS_CHILDREN_PRIV_H
#define RFS_CHILDREN_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracer/tracer.h"

struct rfs_run;

/* A task of a child process. */
struct rfs_child {
	struct rfs_task *task;
	bool loose;	     /* the task took too long: no choice waits for it until it is seen quiescent again */
	bool vforks;	     /* the task waits in vfork(2) for its child */
	bool held;	     /* the task has stopped, and was not resumed: it waits for its turn */
	enum rfs_resume how; /* held: how to resume it, */
	int signo;	     /* and with which signal */
};

struct rfs_children {
	struct rfs_child *list; /* run->n_children of them */
	pid_t *threaded;	/* child processes that have several threads */
	size_t n_threaded;
	/* child_turns.c */
	struct rfs_task *turn; /* the task that may run; NULL: none */
	pid_t last;	       /* the id, as the target sees it, of the task that had the last turn */
	unsigned stops;	       /* how often the task of this turn has stopped */
	bool waits;	       /* a task has waited for its turn since the target had used this CPU time: */
	double since;
};

/* The entry of a task in the list; NULL: it has none. */
struct rfs_child *rfs_child_of(const struct rfs_run *run, const struct rfs_task *task);
/*
 * Whether the child is at work. A dead child counts until its end is reported, because only then does the kernel wake
 * the thread that waits for it. A child that waits for its turn does not count.
 */
bool rfs_child_moves(const struct rfs_run *run, const struct rfs_child *c);

#endif
