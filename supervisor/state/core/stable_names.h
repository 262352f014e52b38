/* stable_names.h - names for locks, functions and addresses that mean the same in every run. */
#ifndef RFS_STABLE_NAMES_H
#define RFS_STABLE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"

struct rfs_run;
struct rfs_module_info;
struct rfs_address_name;

/* The class of a lock, as a number that is the same in every run. Never 0. */
uint64_t rfs_lock_class(const struct rfs_run *run, rfs_addr lock);
/*
 * The name of the function that contains the call before the return address `back`. 0: the call is in no module, or
 * in the C or C++ library.
 */
uint64_t rfs_function_name(const struct rfs_run *run, rfs_addr back);
/*
 * The name of an address that a thread accesses. False: it has none, because it is in no module, known block or stack.
 */
bool rfs_name_address(const struct rfs_run *run, rfs_addr address, struct rfs_address_name *out);
/* Whether one of n names is that of a byte in [address, address + size). */
bool rfs_names_address(const struct rfs_run *run, const struct rfs_address_name *names, size_t n, rfs_addr address,
		       uint64_t size);
/*
 * The address with this name. 0: there is none now. Heap blocks are searched one by one, so not if there are more than
 * RFS_FIND_BLOCKS.
 */
#define RFS_FIND_BLOCKS 2000
rfs_addr rfs_find_address(const struct rfs_run *run, const struct rfs_address_name *name);
/* Whether the module is the C++ library. info may be NULL: false. */
bool rfs_is_cxx_library(const struct rfs_module_info *info);

#endif
