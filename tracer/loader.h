/*
 * loader.h - keeps the list of modules (module.h) the same as that of the target's dynamic loader.
 */
#ifndef RFS_TRACER_LOADER_H
#define RFS_TRACER_LOADER_H

#include <stdbool.h>

#include "disasm/addr.h"

struct rfs_module;
struct rfs_space;
struct rfs_task;

/*
 * Updates the list to what is mapped now. Call it at RFS_STOP_EXEC, where it finds the program and the interpreter, and
 * sets a breakpoint at the interpreter's notification point. Call it also at each RFS_STOP_BREAKPOINT for which
 * rfs_modules_changed_here() is true. Calls added for each new module, and gone for each module that dlclose() unmapped
 * (its breakpoints are dropped before). 0, -errno.
 */
int rfs_modules_update(struct rfs_task *task, void (*added)(void *arg, struct rfs_module *module),
		       void (*gone)(void *arg, struct rfs_module *module), void *arg)
	__attribute__((warn_unused_result));
/* True if address is the interpreter's notification point, which it calls after changes. Just resume after the update.
 */
bool rfs_modules_changed_here(const struct rfs_space *space, rfs_addr address);

#endif
