/*
 * predict.h - phase 1: a few runs under `random` with a detector (hybrid: O'Callahan & Choi, PPoPP 2003); the pairs of
 * all runs are joined by statement.
 */
#ifndef RFS_PREDICT_H
#define RFS_PREDICT_H

struct rfs_campaign;

void rfs_predict(struct rfs_campaign *c);

#endif
