/* unwind-priv.h - the information that libunwind keeps for a space. */
#ifndef RFS_TRACER_UNWIND_PRIV_H
#define RFS_TRACER_UNWIND_PRIV_H

#include "tracer/unwind.h"

struct rfs_space;

/* Drops the information of the space, because its modules have changed or the space ends. */
void rfs_unwind_release(struct rfs_space *space);
/* Lets `to`, a copy of `from` with the same modules, use the same information. */
void rfs_unwind_share(const struct rfs_space *from, struct rfs_space *to);
/* Finds the unwind tables of all modules now, so that copies of the space need not do it. Returns 0 or -ENOMEM. */
int rfs_unwind_ready(struct rfs_task *task) __attribute__((warn_unused_result));

#endif
