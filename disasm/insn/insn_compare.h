/*
 * insn_compare.h - what the instructions near a compare-exchange or an exchange do with its registers. They show which
 * value the instruction expects, and whether the program uses its result.
 */
#ifndef RFS_INSN_COMPARE_H
#define RFS_INSN_COMPARE_H

#include <stdbool.h>

struct rfs_insn;

/* Whether the instruction is a cmpxchg with a memory operand. */
bool rfs_insn_is_cmpxchg(const struct rfs_insn *insn);
/* Whether a cmp or test has this general register as an operand, in any width. False if
 * the register is only part of an address. */
bool rfs_insn_compares_register(const struct rfs_insn *insn, unsigned reg);
/* Whether the instruction sets rax, or eax, to a constant. */
bool rfs_insn_sets_rax(const struct rfs_insn *insn);

#endif
