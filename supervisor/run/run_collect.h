/* run_collect.h - completes the result of a run. */
#ifndef RFS_RUN_COLLECT_H
#define RFS_RUN_COLLECT_H

struct rfs_run;

/* Completes run->result after the loop has ended. */
void rfs_run_collect(struct rfs_run *run);

#endif
