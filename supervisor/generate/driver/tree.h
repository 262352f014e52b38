/*
 * tree.h - the processes of tests. Each has executed the first calls of the test before, and each but the last is
 * copied for the next test that begins with the same calls.
 */
#ifndef RFS_DRIVER_TREE_H
#define RFS_DRIVER_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "supervisor/generate/driver/progress.h"

/* How the process of a test ended. */
struct rfs_driver_ending {
	bool in_time;	  /* false: it was killed */
	int status;	  /* as of wait4(); stopped: all calls have returned */
	long memory_peak; /* KiB */
};

/* private_network: as in contain.h. The working directory is that of tests. Returns the shared memory; NULL: there is
 * none. */
struct rfs_driver_progress *rfs_driver_tree_init(bool private_network);

/* Executes the test of `size` bytes. False: the machine has no process for it. */
bool rfs_driver_tree_execute(const char *text, size_t size, struct rfs_driver_ending *out);

/* Ends all processes, and removes the files of tests. */
void rfs_driver_tree_end(void);

#endif
