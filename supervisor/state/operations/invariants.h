/* invariants.h - what must be true whenever the policy chooses, and what RFS_BUG() prints of a run. */
#ifndef RFS_INVARIANTS_H
#define RFS_INVARIANTS_H

#include <stdio.h>

struct rfs_run;

/* Prints the state of the run and of every thread. Uses only what rfsup knows; does not read the target. */
void rfs_run_dump(const struct rfs_run *run, FILE *out);

/* From now on RFS_BUG() prints the state of this run. NULL: of no run. */
void rfs_run_dump_on_bug(struct rfs_run *run);

/*
 * Call this before each choice is carried out, when all threads are parked or in the kernel. Ends rfsup with RFS_BUG()
 * if rfsup's own state is broken. The function does not check data that a target can break by overwriting its own
 * locks.
 */
void rfs_invariants_check(struct rfs_run *run);

#endif
