/*
 * breakpoint.h - breakpoints. Their uses are counted, and the instruction under a breakpoint is executed out of line.
 *
 *     before            after                     slot, in memory that we mapped near the module
 *     insn: 01 05 …     insn: cc 05 …             copy of insn, operands corrected; jmp insn + length
 *
 * A hit costs one stop: the int3 stays in place, and rfs_task_resume() lets the task continue in the slot. Jumps, calls
 * and returns are emulated instead. An instruction that can be neither copied nor emulated is stepped in place. During
 * that step, no other task of the space runs.
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
 * Sets a breakpoint, or adds one use if there already is one. `task` is any stopped task of the space. The slot is made
 * later, when the first task passes the breakpoint. Returns 0 and *out, which is borrowed until its last use is
 * removed; -EFAULT if nothing is mapped there; -EILSEQ if there is no valid instruction; -ENOMEM; or -ESRCH.
 */
int rfs_breakpoint_add(struct rfs_task *task, rfs_addr address, struct rfs_breakpoint **out)
	__attribute__((warn_unused_result));
/*
 * The same for many addresses. They are best in ascending order, because each page is then read and written once. An
 * instruction is decoded only when a task reaches it, so the caller must know that an instruction begins at each
 * address. out[i] is NULL if nothing is mapped at addresses[i]. Returns 0; -ENOMEM; -ESRCH; or -EFAULT if the memory
 * was unmapped meanwhile. After an error, the breakpoints that were set stay.
 */
int rfs_breakpoint_add_many(struct rfs_task *task, const rfs_addr *addresses, size_t n, struct rfs_breakpoint **out)
	__attribute__((warn_unused_result));
/* Removes one use. When the last use is removed, the program's byte is restored and the breakpoint is freed. This is
 * safe even if a task is inside the slot, because the slot stays. */
void rfs_breakpoint_remove(struct rfs_space *space, struct rfs_breakpoint *breakpoint);
/* The breakpoint at address, or NULL. Borrowed. */
struct rfs_breakpoint *rfs_breakpoint_at(struct rfs_space *space, rfs_addr address);
rfs_addr rfs_breakpoint_address(const struct rfs_breakpoint *breakpoint);
/* The instruction under the breakpoint, with its run-time address as vaddr. Borrowed. NULL if it cannot be decoded. */
const struct rfs_insn *rfs_breakpoint_insn(struct rfs_breakpoint *breakpoint);
/* A pointer for the caller's use, NULL at first. */
void rfs_breakpoint_set_data(struct rfs_breakpoint *breakpoint, void *data);
void *rfs_breakpoint_data(const struct rfs_breakpoint *breakpoint);
/* Returns how many breakpoints the space has. Sets *stepped to how many of them must be stepped in place. */
size_t rfs_breakpoint_count(const struct rfs_space *space, size_t *stepped);

#endif
