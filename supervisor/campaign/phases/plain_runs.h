/*
 * plain_runs.h - makes the baseline runs of a campaign: uncontrolled, one at a time (baseline.h).
 *
 * One run is made at the start. If it passes, no failure can be one that every baseline run shows. Nine more runs are
 * made only if there is a failure to compare with: at the start if the first run fails, otherwise at the end. Under a
 * budget, all of them together get a tenth of it.
 */
#ifndef RFS_PLAIN_RUNS_H
#define RFS_PLAIN_RUNS_H

struct rfs_campaign;

/* Makes the first run, and the others if it fails or does not end. */
void rfs_plain_runs(struct rfs_campaign *c);
/* Makes all other runs, for a plan. */
void rfs_plain_runs_rest(struct rfs_campaign *c);
/* Makes the other runs, if there is a failure and they were not made. Limits of runs do not change any more. */
void rfs_plain_runs_compare(struct rfs_campaign *c);
/* Removes the files of the baseline runs. For a campaign that could not start: it must leave no files. */
void rfs_plain_runs_discard(struct rfs_campaign *c);

#endif
