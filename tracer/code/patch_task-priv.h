/* patch_task-priv.h - moves tasks out of stubs and into them. */
#ifndef RFS_TRACER_PATCH_TASK_PRIV_H
#define RFS_TRACER_PATCH_TASK_PRIV_H

#include <stdbool.h>

#include "disasm/addr.h"

struct rfs_insn;
struct rfs_space;
struct rfs_task;

/* If the task is in a stub, sets its registers to the values that they would have without the stub (rfs_stub_leave()).
 * False if the task is not in a stub. fault: the instruction at rip faulted. */
bool rfs_patch_leave(struct rfs_task *task, bool fault);
/* Decodes the program's instruction at an address that a patch replaces. False if no patch replaces one there. */
bool rfs_patch_insn(const struct rfs_space *space, rfs_addr address, struct rfs_insn *out);
/* Call it before a task continues. If the task is inside a patch (task->inside), moves it into the stub. */
void rfs_patch_enter(struct rfs_task *task);
/* Call it if the task is about to execute insn outside of the stub, although a patch replaces insn. Adds the records
 * that the stub would write. False if the buffer is full. */
bool rfs_patch_tell(struct rfs_task *task, const struct rfs_insn *insn);

#endif
