/*
 * fd_lifetimes.h - predicts uses of a file descriptor after it was closed, from the calls of one run.
 *
 * If a thread used a descriptor before another thread closed it, and no message (thread start and end, signals, data
 * in a pipe) made this order, the close could come first. The late call then fails with EBADF, or it reaches another
 * file, which was opened in between and got the same number. The order of locks does not count. If both threads hold a
 * lock, the thread of the use can be postponed before it acquires this lock. A number lives until it is closed.
 */
#ifndef RFS_FD_LIFETIMES_H
#define RFS_FD_LIFETIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "policy/operations.h"

struct atom_run;
struct rfs_life_uses;

/* A system call that uses one descriptor, or closes some of them. */
struct rfs_fd_call {
	int thread;
	bool closes;
	rfs_site site;	   /* where the call returns to, in the program's own code; 0: not known */
	uint64_t first, n; /* the numbers from first on; n is 1 if the call does not close them */
};

void rfs_fd_lifetimes_call(struct atom_run *run, struct rfs_life_uses *fds, const struct rfs_fd_call *call);

#endif
