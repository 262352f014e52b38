/*
 * breakpoint.h - counted breakpoints with out-of-line execution.
 *
 *     before            after                     slot, in memory that we mapped near the module
 *     insn: 01 05 …     insn: cc 05 …             copy of insn, operands corrected; jmp insn + length
 *
 * A hit costs one stop: rfs_task_resume() sets the instruction pointer to the slot. Control transfers are emulated.
 * Only what can be neither copied nor emulated is stepped in place, with every other task stopped.
 */
#ifndef RFS_BREAKPOINT_H
#define RFS_BREAKPOINT_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/insn/insn.h"

struct rfs_space;
struct rfs_task;

struct rfs_breakpoint;

/*
 * Sets a breakpoint, or counts one more use of an existing one. task: any stopped task of the space. The slot is made
 * when the first task passes the breakpoint, through that task. 0 and *out (borrowed until its last removal), -EFAULT
 * not mapped, -EILSEQ no instruction there, -ENOMEM, -ESRCH.
 */
int rfs_breakpoint_add(struct rfs_task *task, rfs_addr address, struct rfs_breakpoint **out)
	__attribute__((warn_unused_result));
/*
 * The same for many addresses, best in ascending order: each page is read and written once, and an instruction is
 * decoded when it is first reached. Therefore the caller must know that an instruction begins at each address. out[i]
 * is NULL if nothing is mapped there. 0, -ENOMEM, -ESRCH, or -EFAULT if the memory was unmapped meanwhile (breakpoints
 * set before that stay).
 */
int rfs_breakpoint_add_many(struct rfs_task *task, const rfs_addr *addresses, size_t n, struct rfs_breakpoint **out)
	__attribute__((warn_unused_result));
/* Removes one use; removing the last one restores the byte. Removing is safe while a task is inside the slot. */
void rfs_breakpoint_remove(struct rfs_space *space, struct rfs_breakpoint *breakpoint);
/* The breakpoint at address, or NULL. Borrowed. */
struct rfs_breakpoint *rfs_breakpoint_at(const struct rfs_space *space, rfs_addr address);
rfs_addr rfs_breakpoint_address(const struct rfs_breakpoint *breakpoint);
/* The instruction under the breakpoint; its vaddr is the run-time address. Borrowed. NULL: it cannot be decoded. */
const struct rfs_insn *rfs_breakpoint_insn(struct rfs_breakpoint *breakpoint);
/* A pointer for the caller's use, NULL at first. */
void rfs_breakpoint_set_data(struct rfs_breakpoint *breakpoint, void *data);
void *rfs_breakpoint_data(const struct rfs_breakpoint *breakpoint);
/* How many breakpoints the space has, and how many of them must be stepped in place. */
size_t rfs_breakpoint_count(const struct rfs_space *space, size_t *stepped);

#endif
