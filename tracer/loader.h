/*
 * loader.h - keeps the list of modules (module.h) as the target's dynamic loader has it.
 */
#ifndef RFS_TRACER_LOADER_H
#define RFS_TRACER_LOADER_H

#include <stdbool.h>

#include "disasm/addr.h"

struct rfs_module;
struct rfs_space;
struct rfs_task;

/*
 * Learns what is mapped now. Call at RFS_STOP_EXEC (gives the program and the interpreter, and sets a breakpoint in the
 * interpreter where it tells debuggers of changes), and at each RFS_STOP_BREAKPOINT for which
 * rfs_modules_changed_here() holds. Calls added for each new module, and gone for each that dlclose() took away (its
 * breakpoints are dropped already). 0, -errno.
 */
int rfs_modules_update(struct rfs_task *task, void (*added)(void *arg, struct rfs_module *module),
		       void (*gone)(void *arg, struct rfs_module *module), void *arg)
	__attribute__((warn_unused_result));
/* True where address is the interpreter's notification point. Just resume after the update. */
bool rfs_modules_changed_here(const struct rfs_space *space, rfs_addr address);

#endif
