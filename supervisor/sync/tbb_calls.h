/*
 * tbb_calls.h - which happens-before order the calls of Intel's Threading Building Blocks (libtbb) give. libtbb hands
 * tasks from thread to thread, but is not watched, so these calls send messages to the detector.
 */
#ifndef RFS_TBB_CALLS_H
#define RFS_TBB_CALLS_H

#include <stddef.h>

struct rfs_call;

/* The table of intercepted functions. Returns how many rows it has. They are of use only if there is a detector. */
size_t rfs_tbb_calls(const struct rfs_call **rows);

#endif
