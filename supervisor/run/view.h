/* view.h - what a policy sees of a run before a choice. */
#ifndef RFS_VIEW_H
#define RFS_VIEW_H

#include <stddef.h>

#include "policy/policy.h"

/* A further flag of a thread, which policies do not know: only a pending signal enables it. */
#define RFS_THREAD_BY_SIGNAL (1u << 31)

struct rfs_run_view {
	struct rfs_view view; /* its threads are those of run->view, valid until the next call */
	struct rfs_run *run;
};

/* Computes every thread's flags. Returns how many threads can be picked. */
size_t rfs_build_view(struct rfs_run *run, struct rfs_run_view *out);

#endif
