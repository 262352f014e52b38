/* spawn.h - starts a program whose output rfsup reads. */
#ifndef RFS_SPAWN_H
#define RFS_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Starts words[0], which is searched in PATH, with these words and this environment. Its standard input is empty, and
 * its standard output is the descriptor `out`. quiet: what it writes to standard error is lost. 0 and *pid, or -errno.
 */
int rfs_spawn(char *const *words, char *const *environment, int out, bool quiet, pid_t *pid)
	__attribute__((warn_unused_result));

#endif
