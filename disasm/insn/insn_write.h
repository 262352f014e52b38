/* insn_write.h - executes instructions that write to memory. */
#ifndef RFS_INSN_WRITE_H
#define RFS_INSN_WRITE_H

#include <sys/user.h>

#include "disasm/addr.h"

struct rfs_insn;
struct rfs_memory;

/*
 * Executes an instruction at run-time address `at` on regs and memory, as the processor would: a mov from a general
 * register or an immediate, integer arithmetic, also with lock, a push or a call.
 *
 * Returns 0; -EFAULT if a callback fails (regs are unchanged); or -EINVAL for any other instruction.
 */
int rfs_insn_write(const struct rfs_insn *insn, rfs_addr at, struct user_regs_struct *regs,
		   const struct rfs_memory *memory) __attribute__((warn_unused_result));

#endif
