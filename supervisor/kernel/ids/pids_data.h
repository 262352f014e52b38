/* pids_data.h - ids in the memory that a call passes or fills, and in arguments that a command of the call selects. */
#ifndef RFS_PIDS_DATA_H
#define RFS_PIDS_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "disasm/addr.h"

struct rfs_run;
struct rfs_task;

#define RFS_PIDS_WORDS 8 /* most ids in the memory of one call; further ones stay as they are */

/* An id in the memory of a call. */
struct rfs_pid_word {
	rfs_addr at;
	pid_t passed; /* what the target passed; the word gets it back at the exit. 0: the call only fills the word */
};

/* What has to be done at the exit of a call. It is all zeros for a call that has no ids in its memory. */
struct rfs_pid_words {
	struct rfs_pid_word word[RFS_PIDS_WORDS];
	size_t n;
	long number; /* of the call */
};

/*
 * Called before the call enters the kernel: replaces the ids that it passes. True if the call must stop at its exit,
 * for rfs_pids_data_end().
 */
bool rfs_pids_data_begin(const struct rfs_run *run, struct rfs_task *task, const unsigned long *args,
			 struct rfs_pid_words *words);
/* Called at the exit: gives the target its own ids back, and corrects those that the call returned. */
void rfs_pids_data_end(const struct rfs_run *run, struct rfs_task *task, const unsigned long *args,
		       const struct rfs_pid_words *words);

#endif
