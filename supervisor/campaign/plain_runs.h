/* plain_runs.h - makes the baseline runs (baseline.h) at the start of a campaign, one after the other. */
#ifndef RFS_PLAIN_RUNS_H
#define RFS_PLAIN_RUNS_H

struct rfs_campaign;

void rfs_plain_runs(struct rfs_campaign *c);
/* Removes the files of the baseline runs. For a campaign that could not start: it must leave no files. */
void rfs_plain_runs_discard(struct rfs_campaign *c);

#endif
