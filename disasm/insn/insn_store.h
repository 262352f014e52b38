/* insn_store.h - what a plain store is about to write. */
#ifndef RFS_INSN_STORE_H
#define RFS_INSN_STORE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

struct rfs_insn;

/*
 * The value that a mov of 8 bytes to memory will write, from a register or an immediate. regs: those before it. False
 * if the instruction is no such mov.
 */
bool rfs_insn_stored(const struct rfs_insn *insn, const struct user_regs_struct *regs, uint64_t *value);

#endif
