/* plain_runs.h - the runs that a campaign begins with: uncontrolled, one at a time. They are the baseline (baseline.h).
 */
#ifndef RFS_PLAIN_RUNS_H
#define RFS_PLAIN_RUNS_H

struct rfs_campaign;

void rfs_plain_runs(struct rfs_campaign *c);
/* Removes their files: the campaign could not be started, and nothing of it is to stay. */
void rfs_plain_runs_discard(struct rfs_campaign *c);

#endif
