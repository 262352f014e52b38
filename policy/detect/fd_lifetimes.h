/*
 * fd_lifetimes.h - predicts uses of a file descriptor after it was closed, from the calls of one run.
 *
 * If a thread used a descriptor before another thread closed it, and no message (thread start and end, signals, data
 * in a pipe) made this order, the close could come first. The late call then fails with EBADF, or it reaches another
 * file, which was opened in between and got the same number. The order of locks does not count. If both threads hold a
 * lock, the thread of the use can be postponed before it acquires this lock. A number lives until it is closed.
 *
 * A thread that closes a number that is not open, after another thread has closed it, has lost a race already: a file
 * that is opened between the two closes gets the number, and is closed for its owner. So the second close is such a
 * use.
 */
#ifndef RFS_FD_LIFETIMES_H
#define RFS_FD_LIFETIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "policy/detect/life_uses.h"
#include "policy/operations.h"

struct atom_run;

/* Zeroed memory: no call yet. */
struct rfs_fd_lives {
	struct rfs_life_uses open;   /* the uses of each number until it is closed */
	struct rfs_life_uses closed; /* the last close of each number */
};

/* A system call that uses one descriptor, or closes some of them. */
struct rfs_fd_call {
	int thread;
	bool closes;
	bool is_late;	   /* close(2) of a number that is not open */
	rfs_site site;	   /* where the call returns to, in the program's own code; 0: not known */
	uint64_t first, n; /* the numbers from first on; n is 1 if the call does not close them */
};

void rfs_fd_lifetimes_call(struct atom_run *run, struct rfs_fd_lives *fds, const struct rfs_fd_call *call);
void rfs_fd_lifetimes_release(struct rfs_fd_lives *fds);

#endif
