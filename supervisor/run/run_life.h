/* run_life.h - prepares a run. */
#ifndef RFS_RUN_LIFE_H
#define RFS_RUN_LIFE_H

struct rfs_run;
struct rfs_run_spec;
struct rfs_run_result;

/*
 * Prepares a run. The caller owns the memory of all three structs, and calls rfs_run_release() even if a later step
 * fails.
 */
void rfs_run_init(struct rfs_run *run, const struct rfs_run_spec *spec, struct rfs_run_result *out);

#endif
