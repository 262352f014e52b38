/*
 * follow.h - --follow GLOB: selects the program to control among those that a wrapper starts.
 *
 * The command is a wrapper, such as a shell script, make or ctest. The program to control is the first program that the
 * wrapper starts and whose file name matches. Other processes, before, during and after its run, are traced but not
 * controlled.
 */
#ifndef RFS_FOLLOW_H
#define RFS_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Zero at first, except the glob. Call rfs_follow_release() at the end. */
struct rfs_follow {
	const char *glob;
	char *seen; /* names of the programs that did not match, as text; NULL: there are none; owned */
	unsigned n_seen;
	pid_t *above; /* the processes that the program descends from; owned */
	size_t n_above;
	bool taken;  /* a process of the program has taken its place (run/stops/processes.c) */
	bool missed; /* the wrapper ended without starting the program */
	bool over;   /* the wrapper, or the first process of the program, has ended with `status` */
	int status;  /* as of waitpid(2) */
};

/*
 * Call this when a process executes a program. True if the program is the one to control: its file name matches the
 * glob, or its path if the glob has a slash. Otherwise remembers the name for rfs_follow_missed().
 */
bool rfs_follow_matches(struct rfs_follow *follow, const char *file);
/* Call this if no program matched. Returns -ENOENT, and one line in why for the user. */
int rfs_follow_missed(const struct rfs_follow *follow, char *const *argv, char *why, size_t n);
/* Frees what follow owns. */
void rfs_follow_release(struct rfs_follow *follow);

#endif
