/*
 * loader.h - updates the list of modules (module.h) when the target's dynamic loader maps or unmaps files.
 */
#ifndef RFS_TRACER_LOADER_H
#define RFS_TRACER_LOADER_H

#include <stdbool.h>

#include "disasm/addr.h"

struct rfs_module;
struct rfs_space;
struct rfs_task;

/*
 * Updates the list to what is mapped now. Call it first at RFS_STOP_EXEC: it then finds the program and the
 * interpreter, and sets a breakpoint at the interpreter's notification point. After that, call it at each
 * RFS_STOP_BREAKPOINT for which rfs_modules_changed_here() is true.
 *
 * Calls `added` for each new module, and `gone` for each module that dlclose() unmapped. The breakpoints in such a
 * module are dropped first. Returns 0 or -errno.
 */
int rfs_modules_update(struct rfs_task *task, void (*added)(void *arg, struct rfs_module *module),
		       void (*gone)(void *arg, struct rfs_module *module), void *arg)
	__attribute__((warn_unused_result));
/* Whether address is the interpreter's notification point, a function that the interpreter calls after changes. After
 * rfs_modules_update(), the task can simply be resumed. */
bool rfs_modules_changed_here(const struct rfs_space *space, rfs_addr address);

#endif
