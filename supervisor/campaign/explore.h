/*
 * explore.h - phase explore: makes many runs under one or several samplers, which take turns.
 *
 * Its findings are failures and deadlocks. Many bugs are not data races at all: a broken atomic section, or an order
 * that nothing enforces.
 */
#ifndef RFS_EXPLORE_H
#define RFS_EXPLORE_H

struct rfs_campaign;

void rfs_explore(struct rfs_campaign *c);

#endif
