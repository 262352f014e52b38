/* insn_result.c - what an instruction does with the result of a function, which is in rax. */
#include "disasm/insn/insn_result-priv.h"

static bool is_result(unsigned reg)
{
	return reg == X86_REG_RAX || reg == X86_REG_EAX || reg == X86_REG_AX || reg == X86_REG_AH || reg == X86_REG_AL;
}

static bool names_result(const cs_x86_op *operand)
{
	if (operand->type == X86_OP_REG)
		return is_result(operand->reg);
	return operand->type == X86_OP_MEM && (is_result(operand->mem.base) || is_result(operand->mem.index));
}

/* Whether the instruction writes its first operand, a register, and does not read this operand. */
static bool only_writes_first(const cs_insn *insn)
{
	const cs_x86_op *operands = insn->detail->x86.operands;

	switch (insn->id) {
	case X86_INS_MOV:
	case X86_INS_MOVABS:
	case X86_INS_MOVZX:
	case X86_INS_MOVSX:
	case X86_INS_MOVSXD:
	case X86_INS_LEA:
	case X86_INS_POP:
		return true;
	case X86_INS_XOR:
	case X86_INS_SUB:
		/* a register with itself: the result is 0 */
		return operands[0].type == X86_OP_REG && operands[1].type == X86_OP_REG &&
		       operands[0].reg == operands[1].reg;
	default:
		return false;
	}
}

enum rfs_result_use rfs_insn_result_use(const cs_insn *insn)
{
	const cs_detail *detail = insn->detail;
	const cs_x86 *x86 = &detail->x86;
	bool overwrites;

	if (x86->op_count == 0 || x86->operands[0].type != X86_OP_REG)
		overwrites = false;
	else
		overwrites = (x86->operands[0].reg == X86_REG_RAX || x86->operands[0].reg == X86_REG_EAX) &&
			     only_writes_first(insn);
	if (overwrites && (insn->id == X86_INS_XOR || insn->id == X86_INS_SUB))
		return RFS_RESULT_OVERWRITTEN;
	for (unsigned i = 0; i < detail->regs_read_count; i++) {
		if (is_result(detail->regs_read[i]))
			return RFS_RESULT_READ;
	}
	for (unsigned i = overwrites; i < x86->op_count; i++) {
		if (names_result(&x86->operands[i]))
			return RFS_RESULT_READ;
	}
	return overwrites ? RFS_RESULT_OVERWRITTEN : RFS_RESULT_KEPT;
}
