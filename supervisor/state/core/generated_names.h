/*
 * generated_names.h - names of code that the target generates at run time. No file has such code, so its name is its
 * address, which is the same in each run. Its modules are ranges of addresses that exist only by name.
 */
#ifndef RFS_GENERATED_NAMES_H
#define RFS_GENERATED_NAMES_H

#include "disasm/addr.h"
#include "policy/operations.h"

struct rfs_module_info;
struct rfs_run;

/* The site of an instruction of generated code. */
rfs_site rfs_generated_site(struct rfs_run *run, rfs_addr address);
/* The module of a site near the address that rfs_generated_site() has given. NULL: there is none. Borrowed. */
const struct rfs_module_info *rfs_generated_info_at(const struct rfs_run *run, rfs_addr address);

#endif
