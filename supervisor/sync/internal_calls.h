/* internal_calls.h - which calls of thread functions the C library makes for itself. */
#ifndef RFS_INTERNAL_CALLS_H
#define RFS_INTERNAL_CALLS_H

#include <stdbool.h>

#include "disasm/addr.h"

struct rfs_run;

/* Whether the C library made a call for itself. back: the return address of the call. */
bool rfs_call_is_internal(const struct rfs_run *run, rfs_addr back);
/*
 * Whether a lock or another object is a variable of the C library or the loader. Then each call on it is internal. The
 * return address does not always show that: dlclose() releases the loader's lock with a jump.
 */
bool rfs_object_is_internal(const struct rfs_run *run, rfs_addr object);

#endif
