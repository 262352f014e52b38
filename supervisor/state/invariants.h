/* invariants.h - what must hold whenever the policy chooses, and what RFS_BUG() prints of a run. */
#ifndef RFS_INVARIANTS_H
#define RFS_INVARIANTS_H

#include <stdio.h>

struct rfs_run;

/* The state of the run and of every thread, from what rfsup knows: the target is not read. */
void rfs_run_dump(const struct rfs_run *run, FILE *out);

/* From here on RFS_BUG() dumps this run; NULL: none. */
void rfs_run_dump_on_bug(struct rfs_run *run);

/*
 * Once for each choice, when all threads are parked or in the kernel: ends rfsup with RFS_BUG() if its own state is
 * broken. What a target can break by writing over its own locks is not among it.
 */
void rfs_invariants_check(struct rfs_run *run);

#endif
