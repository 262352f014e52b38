/*
 * tbb_calls.h - what the calls of Intel's Threading Building Blocks (libtbb) order. The library hands tasks from thread
 * to thread with code that is not watched, so detectors are told.
 */
#ifndef RFS_TBB_CALLS_H
#define RFS_TBB_CALLS_H

#include <stddef.h>

struct rfs_call;

/* The table of intercepted functions. Returns how many rows it has. They are of use only if there is a detector. */
size_t rfs_tbb_calls(const struct rfs_call **rows);

#endif
