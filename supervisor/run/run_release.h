/* run_release.h - frees what a run owns. */
#ifndef RFS_RUN_RELEASE_H
#define RFS_RUN_RELEASE_H

struct rfs_run;

/* Ends the target and frees everything that the run owns. */
void rfs_run_release(struct rfs_run *run);

#endif
