/* patch_task-priv.h - tasks on their way through patches. */
#ifndef RFS_TRACER_PATCH_TASK_PRIV_H
#define RFS_TRACER_PATCH_TASK_PRIV_H

#include <stdbool.h>

#include "disasm/addr.h"

struct rfs_insn;
struct rfs_space;
struct rfs_task;

/* The task stands in a stub: shows the program's state (rfs_stub_leave()). False where it does not. */
bool rfs_patch_leave(struct rfs_task *task, bool fault);
/* The program's instruction at an address that a patch took. False where none did. */
bool rfs_patch_insn(const struct rfs_space *space, rfs_addr address, struct rfs_insn *out);
/* A task that stands inside a patch (task->inside) is about to go on: takes it into the stub. */
void rfs_patch_enter(struct rfs_task *task);
/* The task is about to execute insn, which a patch took, outside of its stub: writes what that would. False where there
 * is no room. */
bool rfs_patch_tell(struct rfs_task *task, const struct rfs_insn *insn);

#endif
