/*
 * insn-priv.h - what the instruction files of this folder share.
 */
#ifndef RFS_INSN_PRIV_H
#define RFS_INSN_PRIV_H

#include "disasm/insn/insn.h"

/*
 * Reads the memory operand of a ModRM byte at offset `at` of insn->bytes (Intel SDM vol. 2, 2.1.5). False if the bytes
 * end early or mod is 3. *length: bytes of ModRM, SIB and displacement. disp8 is multiplied by scale8 (EVEX: N, 2.7.5;
 * otherwise 1). rex_b, rex_x: 8 or 0; a displacement is left relative to the end of the instruction, see
 * rfs_insn_finish_rip().
 */
bool rfs_insn_modrm(struct rfs_insn *insn, size_t n, unsigned at, unsigned rex_b, unsigned rex_x, unsigned scale8,
		    struct rfs_mem *mem, unsigned *length);
/* Makes a RIP-relative displacement absolute, once the length is known. */
void rfs_insn_finish_rip(const struct rfs_insn *insn, struct rfs_mem *mem);

/* VEX or EVEX at insn->opcode_at (c4, c5, 62). Prefixes are filled in. 0 or -EILSEQ. */
int rfs_insn_decode_vex(struct rfs_insn *insn, size_t n, struct rfs_insn_detail *detail);

/* A legacy encoding that Capstone does not know. Prefixes are filled in. 0 or -EILSEQ. */
int rfs_insn_decode_recent(struct rfs_insn *insn, size_t n);

/* What a legacy instruction, by Capstone's id, does with its memory operand. */
unsigned rfs_insn_mem_flags(unsigned id, bool mem_is_destination);

/* Value of a general register. */
uint64_t rfs_reg_get(const struct user_regs_struct *regs, int reg);

#endif
