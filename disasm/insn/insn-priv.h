/*
 * insn-priv.h - what the instruction files of this folder share.
 */
#ifndef RFS_INSN_PRIV_H
#define RFS_INSN_PRIV_H

#include "disasm/insn/insn.h"

/* Shapes that the sweep of a function (code.c) must distinguish to see whether a frame address escapes. */
enum rfs_form {
	RFS_FORM_OTHER,
	RFS_FORM_MOVE,	  /* mov between two general registers of 8 bytes */
	RFS_FORM_LEA,	  /* lea to a general register of 8 bytes */
	RFS_FORM_ADJUST,  /* add, sub, and with a general register of 8 bytes as its destination */
	RFS_FORM_COMPARE, /* cmp, test: their register operands end up in the flags only */
	RFS_FORM_PUSH,
	RFS_FORM_POP,
	RFS_FORM_ENTER,
};

struct rfs_insn_detail {
	enum rfs_form form;
	uint16_t registers; /* bits RFS_RSP, RFS_RBP: that register, in any width, is an operand (not part of an
			       address) */
	int8_t destination; /* the first operand: RFS_RSP, RFS_RBP, -1 anything else */
	int8_t source;	    /* the second operand: likewise */
	struct rfs_mem lea; /* lea of any width; base and index -1 otherwise */
};

/* rfs_insn_decode() with detail, for code.c. */
int rfs_insn_decode_detail(struct rfs_decoder *decoder, const uint8_t *bytes, size_t n, rfs_addr vaddr,
			   struct rfs_insn *out, struct rfs_insn_detail *detail);

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
/* Segment base + base + index * scale + disp; no vector index. */
rfs_addr rfs_mem_address(const struct rfs_mem *mem, uint64_t bias, const struct user_regs_struct *regs);

#endif
