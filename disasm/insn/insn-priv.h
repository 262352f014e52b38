/* insn-priv.h - functions that the instruction files of this folder share. */
#ifndef RFS_INSN_PRIV_H
#define RFS_INSN_PRIV_H

#include "disasm/insn/insn.h"

/*
 * Reads the memory operand of the ModRM byte at offset `at` of insn->bytes (Intel SDM vol. 2, 2.1.5). False if the
 * bytes end early, or if mod is 3 (a register).
 *
 *  - *length: bytes of ModRM, SIB and displacement
 *  - rex_b, rex_x: 8 or 0, to add to base and index
 *  - scale8: factor of an 8-bit displacement (N of EVEX, 2.7.5; otherwise 1)
 *
 * A RIP-relative displacement stays relative to the end of the instruction until rfs_insn_finish_rip() is called.
 */
bool rfs_insn_modrm(struct rfs_insn *insn, size_t n, unsigned at, unsigned rex_b, unsigned rex_x, unsigned scale8,
		    struct rfs_mem *mem, unsigned *length);
/* Makes a RIP-relative displacement absolute. Call this when insn->length is known. */
void rfs_insn_finish_rip(const struct rfs_insn *insn, struct rfs_mem *mem);

/* Decodes an instruction with a VEX or EVEX prefix (c4, c5 or 62) at insn->opcode_at. Legacy prefixes were already
 * read. Returns 0 or -EILSEQ. */
int rfs_insn_decode_vex(struct rfs_insn *insn, size_t n, struct rfs_insn_detail *detail);

/* Decodes a legacy encoding that Capstone does not know. Prefixes were already read. Returns 0 or -EILSEQ. */
int rfs_insn_decode_recent(struct rfs_insn *insn, size_t n);

/* How a legacy instruction, given by its Capstone id, accesses its memory operand: enum rfs_mem_flags. */
unsigned rfs_insn_mem_flags(unsigned id, bool mem_is_destination);

/* The value of a general register. */
uint64_t rfs_reg_get(const struct user_regs_struct *regs, int reg);

#endif
