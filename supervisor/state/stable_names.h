/* stable_names.h - names for locks and functions that mean the same in every run. */
#ifndef RFS_STABLE_NAMES_H
#define RFS_STABLE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "disasm/addr.h"

struct rfs_run;
struct rfs_module_info;

/* The class of a lock, as a number that is the same in every run. Never 0. */
uint64_t rfs_lock_class(const struct rfs_run *run, rfs_addr lock);
/*
 * The name of the function that contains the call before the return address `back`. 0: the call is in no module, or
 * in the C or C++ library.
 */
uint64_t rfs_function_name(const struct rfs_run *run, rfs_addr back);
/* Whether the module is the C++ library. info may be NULL: false. */
bool rfs_is_cxx_library(const struct rfs_module_info *info);

#endif
