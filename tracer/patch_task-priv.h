/* patch_task-priv.h - tasks that execute patched code. */
#ifndef RFS_TRACER_PATCH_TASK_PRIV_H
#define RFS_TRACER_PATCH_TASK_PRIV_H

#include <stdbool.h>

#include "disasm/addr.h"

struct rfs_insn;
struct rfs_space;
struct rfs_task;

/* If the task is in a stub, changes its registers to the program's state (rfs_stub_leave()). Otherwise false. */
bool rfs_patch_leave(struct rfs_task *task, bool fault);
/* The program's instruction at an address that a patch replaces. False if no patch does. */
bool rfs_patch_insn(const struct rfs_space *space, rfs_addr address, struct rfs_insn *out);
/* A task inside a patch (task->inside) is about to continue: moves it into the stub. */
void rfs_patch_enter(struct rfs_task *task);
/* The task is about to execute insn, which a patch replaces, outside of the stub: writes the records that the stub
 * would write. False if there is no room. */
bool rfs_patch_tell(struct rfs_task *task, const struct rfs_insn *insn);

#endif
