/*
 * onlooker.h - a program and its descendants, watched but not controlled: which programs they execute, and how the
 * selected program ends. Nothing in them is changed. They only stop briefly when they make a process or a thread,
 * execute a program or get a signal.
 */
#ifndef RFS_TRACER_ONLOOKER_H
#define RFS_TRACER_ONLOOKER_H

#include <stdbool.h>
#include <sys/types.h>

struct rfs_onlooker {
	/* Called for each program that one of them executes, with its file. True if it is the selected program. */
	bool (*executes)(void *arg, const char *file);
	void *arg;
	pid_t found; /* the first process that executes the selected program; 0: none yet */
	bool gone;   /* it has ended, with this status of waitpid(2) */
	int status;
};

/* Attaches to a child that has not executed its program yet. 0 or -errno. */
int rfs_onlooker_seize(pid_t child) __attribute__((warn_unused_result));
/* Handles a result of waitpid(-1, __WALL): resumes the task. */
void rfs_onlooker_take(struct rfs_onlooker *watch, pid_t pid, int status);

#endif
