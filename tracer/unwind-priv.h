/* unwind-priv.h - the unwinder, before a program is copied. */
#ifndef RFS_TRACER_UNWIND_PRIV_H
#define RFS_TRACER_UNWIND_PRIV_H

#include "tracer/unwind.h"

/* Finds the tables of all modules now, so that copies of the space need not. 0, -ENOMEM. */
int rfs_unwind_ready(struct rfs_task *task) __attribute__((warn_unused_result));

#endif
