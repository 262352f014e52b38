/* plain_runs.h - makes the baseline runs at the start of a campaign: uncontrolled, one at a time (baseline.h). */
#ifndef RFS_PLAIN_RUNS_H
#define RFS_PLAIN_RUNS_H

struct rfs_campaign;

void rfs_plain_runs(struct rfs_campaign *c);
/* Removes the files of these runs, because the campaign could not be started and must leave nothing behind. */
void rfs_plain_runs_discard(struct rfs_campaign *c);

#endif
