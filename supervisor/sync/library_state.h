/*
 * library_state.h - functions of the C library that have a hidden state, which another thread may change or look at:
 * the environment, random numbers, buffers of results, streams. Others change which memory is mapped.
 *
 * These are no operations, and the library's own accesses are not watched. So a proof must know whether two threads
 * call them (state/operations/shared_things.h). Only runs that look have breakpoints at these functions.
 */
#ifndef RFS_LIBRARY_STATE_H
#define RFS_LIBRARY_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/addr.h"

struct rfs_call;
struct rfs_run;

/* The functions, as a table of calls. Returns how many. */
size_t rfs_library_state_calls(const struct rfs_call **out);
/* Whether a function of the C library has the system call instruction before this address. syscall(2) does not count.
 */
bool rfs_library_makes_call(const struct rfs_run *run, rfs_addr at);

#endif
