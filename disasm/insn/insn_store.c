/*
 * insn_store.c - computes from the registers which bytes a plain store will write. Other instructions have no answer
 * here.
 */
#include "disasm/insn/insn_store.h"

#include <string.h>

#include "disasm/insn/insn-priv.h"
#include "disasm/insn/insn.h"

#define OPCODE_STORE 0x89     /* mov r64, r/m64 */
#define OPCODE_IMMEDIATE 0xc7 /* mov imm32, r/m64 */
#define REX_R 4

bool rfs_insn_stored(const struct rfs_insn *insn, const struct user_regs_struct *regs, uint64_t *value)
{
	int32_t immediate;
	int reg;

	if (!insn->plain_move || insn->n_mem != 1 || insn->mem[0].size != 8 || !(insn->mem[0].flags & RFS_MEM_WRITE))
		return false;
	switch (insn->bytes[insn->opcode_at]) {
	case OPCODE_STORE:
		reg = insn->bytes[insn->opcode_at + 1] >> 3 & 7;
		*value = rfs_reg_get(regs, insn->rex & REX_R ? reg + 8 : reg);
		return true;
	case OPCODE_IMMEDIATE:
		memcpy(&immediate, insn->bytes + insn->length - sizeof(immediate), sizeof(immediate));
		*value = (uint64_t)(int64_t)immediate;
		return true;
	default:
		return false;
	}
}
