/* spawn.h - starts a program whose output rfsup reads. */
#ifndef RFS_SPAWN_H
#define RFS_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Starts words[0], which is searched in PATH, with these words and this environment. Its standard input is empty, and
 * its standard output is the descriptor `out`. quiet: what it writes to standard error is lost. 0 and *pid, or -errno.
 */
int rfs_spawn(char *const *words, char *const *environment, int out, bool quiet, pid_t *pid)
	__attribute__((warn_unused_result));

/* A program that runs until it ends, and whose standard output is read. */
struct rfs_spawn_read {
	char *const *words;
	char *const *environment;
	const char *folder; /* its working directory; NULL: that of rfsup */
	bool quiet;
	double seconds; /* the time in which it must end; it is killed then */
	size_t max;	/* the number of bytes that it may write */
};

/*
 * Runs it. 0, *text (caller frees; ends with NUL) and *status (as of waitpid(2)), or -errno: -ETIME if it did not end
 * in time, -EFBIG if it wrote too much.
 */
int rfs_spawn_read(const struct rfs_spawn_read *what, char **text, int *status) __attribute__((warn_unused_result));

#endif
