/* unwind-priv.h - what libunwind has learnt of a space. */
#ifndef RFS_TRACER_UNWIND_PRIV_H
#define RFS_TRACER_UNWIND_PRIV_H

#include "tracer/unwind.h"

struct rfs_space;

/* Modules changed, or the space goes: what was learnt is forgotten. */
void rfs_unwind_release(struct rfs_space *space);
/* to is a copy of from, with the same modules. */
void rfs_unwind_share(const struct rfs_space *from, struct rfs_space *to);
/* Finds the tables of all modules now, so that copies of the space need not. 0, -ENOMEM. */
int rfs_unwind_ready(struct rfs_task *task) __attribute__((warn_unused_result));

#endif
