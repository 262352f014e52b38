/* view.h - what a policy sees of a run before a choice. */
#ifndef RFS_VIEW_H
#define RFS_VIEW_H

#include <stddef.h>

#include "policy/policy.h"

struct rfs_run_view {
	struct rfs_view view; /* its member `threads` points to run->view, which the next rfs_build_view() overwrites */
	struct rfs_run *run;
};

/* Computes the flags of all threads, and fills *out. Returns how many threads can be picked. */
size_t rfs_build_view(struct rfs_run *run, struct rfs_run_view *out);

#endif
