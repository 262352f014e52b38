/*
 * predict.h - phase predict: makes a few runs under `random` with a detector (hybrid: O'Callahan & Choi, PPoPP 2003),
 * and joins the pairs of all runs by statement.
 */
#ifndef RFS_PREDICT_H
#define RFS_PREDICT_H

struct rfs_campaign;

void rfs_predict(struct rfs_campaign *c);
/* The detector of predicting runs, of any phase. NULL: --detector none. */
const struct rfs_detector_ops *rfs_predict_detector(const struct rfs_campaign *c);

#endif
