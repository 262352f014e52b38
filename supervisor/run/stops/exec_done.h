/* exec_done.h - an exec of the target: what the run knows of the old program is forgotten. */
#ifndef RFS_EXEC_DONE_H
#define RFS_EXEC_DONE_H

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_stop;

enum rfs_then rfs_exec_done(struct rfs_run *run, const struct rfs_stop *stop);

#endif
