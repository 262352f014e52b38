/*
 * onlooker.h - follows a program and its descendants without controlling them: which programs they execute, and how the
 * selected program ends. Nothing in them is changed. They stop briefly when they make a process or a thread, execute a
 * program or get a signal, and if asked for, when they end.
 */
#ifndef RFS_TRACER_ONLOOKER_H
#define RFS_TRACER_ONLOOKER_H

#include <stdbool.h>
#include <sys/types.h>

struct rfs_onlooker {
	/* Called with the file of each program that one of the processes executes. Returns true if it is the selected
	 * program. */
	bool (*executes)(void *arg, const char *file);
	/* May be NULL: called when the process has made a thread, and before a process ends (its memory is still
	 * there). */
	void (*made_thread)(void *arg, pid_t pid);
	void (*ends)(void *arg, pid_t pid);
	void *arg;
	pid_t found; /* the first process that executed the selected program; 0: none yet */
	bool gone;   /* process `found` has ended, and `status` is its status of waitpid(2) */
	int status;
};

/* Attaches to a child that has not executed its program yet. Returns 0 or -errno. */
int rfs_onlooker_seize(const struct rfs_onlooker *watch, pid_t child) __attribute__((warn_unused_result));
/* Handles a result of waitpid(-1, __WALL), and resumes the task if it has stopped. */
void rfs_onlooker_take(struct rfs_onlooker *watch, pid_t pid, int status);

#endif
