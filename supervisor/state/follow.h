/*
 * follow.h - --follow GLOB: the command is a wrapper (a shell script, make, ctest, …), and the program that is meant
 * is the first that it starts whose file name matches. What runs before it, beside it and after it is attached, not
 * controlled.
 */
#ifndef RFS_FOLLOW_H
#define RFS_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Zeroed but for the glob in the beginning; rfs_follow_release(). */
struct rfs_follow {
	const char *glob;
	char *seen; /* names of the programs that did not match, as text; NULL: none */
	unsigned n_seen;
	pid_t *above; /* the processes that the program descends from */
	size_t n_above;
	bool missed; /* the wrapper ended without it */
	bool over;   /* the wrapper has ended; status as of waitpid(2) */
	int status;
};

/* A program is executed; file: its path. True where it is the one that is meant: a name of it matches, or with a slash
 * in the glob its path. */
bool rfs_follow_matches(struct rfs_follow *follow, const char *file);
/* -ENOENT and a line in why: nothing matched. */
int rfs_follow_missed(const struct rfs_follow *follow, char *const *argv, char *why, size_t n);
void rfs_follow_release(struct rfs_follow *follow);

#endif
