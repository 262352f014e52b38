/*
 * explore.h - phase 3: many runs under one or several samplers, which take turns; failures and deadlocks are the
 * findings. Many bugs (a broken atomic section, an order that nobody enforced) are no data race at all.
 */
#ifndef RFS_EXPLORE_H
#define RFS_EXPLORE_H

struct rfs_campaign;

void rfs_explore(struct rfs_campaign *c);

#endif
