/*
 * onlooker.h - a program and its descendants, watched but not controlled: which programs they execute, and how the one
 * that is meant ends. Nothing of them is changed; they stop for a moment where they make a process or a thread, execute
 * a program or get a signal.
 */
#ifndef RFS_TRACER_ONLOOKER_H
#define RFS_TRACER_ONLOOKER_H

#include <stdbool.h>
#include <sys/types.h>

struct rfs_onlooker {
	/* Called at each program that one of them executes, with its file: is it the one that is meant? */
	bool (*executes)(void *arg, const char *file);
	void *arg;
	pid_t found; /* the first that was; 0: none yet */
	bool gone;   /* … and it has ended: status, as of waitpid(2) */
	int status;
};

/* A child that has not executed its program yet. 0 or -errno. */
int rfs_onlooker_seize(pid_t child) __attribute__((warn_unused_result));
/* Handles a result of waitpid(-1, __WALL): resumes the task. */
void rfs_onlooker_take(struct rfs_onlooker *watch, pid_t pid, int status);

#endif
