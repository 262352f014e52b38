#ifndef RFS_STABLE_NAMES_H
#define RFS_STABLE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "disasm/addr.h"

struct rfs_run;
struct rfs_module_info;

/* stable_names.c: numbers that are the same in every run. 0: no function of the program's, or of its own libraries' */
uint64_t rfs_lock_class(const struct rfs_run *run, rfs_addr lock);
uint64_t rfs_function_name(const struct rfs_run *run, rfs_addr back);
bool rfs_is_cxx_library(const struct rfs_module_info *info); /* NULL: no */

#endif
