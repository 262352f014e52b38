/*
 * insn_compare.c - decodes the instructions around a compare-exchange or an exchange, and follows the register with
 * its value.
 */
#include "disasm/insn/insn_compare.h"

#include <stdint.h>

#include "disasm/insn/insn.h"

bool rfs_insn_is_cmpxchg(const struct rfs_insn *insn)
{
	return insn->n_mem == 1 && insn->bytes[insn->opcode_at] == 0x0f &&
	       (insn->bytes[insn->opcode_at + 1] & 0xfe) == 0xb0;
}

bool rfs_insn_compares_register(const struct rfs_insn *insn, unsigned reg)
{
	const uint8_t opcode = insn->bytes[insn->opcode_at], modrm = insn->bytes[insn->opcode_at + 1];
	const unsigned operand = (modrm & 7) | (insn->rex & 1 ? 8u : 0u);
	const unsigned other = (modrm >> 3 & 7) | (insn->rex & 4 ? 8u : 0u), digit = modrm >> 3 & 7;

	switch (opcode) {
	case 0x3c: /* with an immediate: cmp al, cmp eax, test al, test eax; the others name their register */
	case 0x3d:
	case 0xa8:
	case 0xa9:
		return reg == RFS_RAX;
	case 0x80:
	case 0x81:
	case 0x83:
		return digit == 7 && modrm >= 0xc0 && operand == reg;
	case 0xf6:
	case 0xf7:
		return digit < 2 && modrm >= 0xc0 && operand == reg;
	case 0x38:
	case 0x39:
	case 0x3a:
	case 0x3b:
	case 0x84:
	case 0x85:
		return other == reg || (modrm >= 0xc0 && operand == reg);
	default:
		return false;
	}
}

bool rfs_insn_sets_rax(const struct rfs_insn *insn)
{
	const uint8_t opcode = insn->bytes[insn->opcode_at], modrm = insn->bytes[insn->opcode_at + 1];

	if ((insn->rex & 5) || (insn->prefixes & RFS_PREFIX_66)) /* another register, or only a part of rax */
		return false;
	return ((opcode == 0x31 || opcode == 0x33 || opcode == 0xc7) && modrm == 0xc0) || opcode == 0xb8;
}
