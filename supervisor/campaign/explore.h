/*
 * explore.h - phase explore: makes many runs under one or several samplers, in turns.
 *
 * It finds failures and deadlocks that need no data race, such as an atomic section that is not atomic, or an order
 * that the program relies on but does not enforce.
 */
#ifndef RFS_EXPLORE_H
#define RFS_EXPLORE_H

struct rfs_campaign;

void rfs_explore(struct rfs_campaign *c);

#endif
