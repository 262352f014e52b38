/* atomicity.h - the atomicity violations that a run predicts (policy/detect/atomicity.h). */
#ifndef RFS_STATE_ATOMICITY_H
#define RFS_STATE_ATOMICITY_H

struct rfs_run;

/*
 * Starts the prediction, if the run has a detector, and adds it to the run's stream. The second pass of a detector does
 * not predict: it does not see locked data. The first pass has predicted what the same run shows.
 */
void rfs_atomicity_open(struct rfs_run *run);
void rfs_atomicity_close(struct rfs_run *run);
/* Stores the predicted violations in the result. Call this after the stream was drained. */
void rfs_atomicity_predicted(struct rfs_run *run);

#endif
