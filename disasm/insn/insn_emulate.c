/*
 * insn_emulate.c - executes a control transfer on saved registers (Intel SDM vol. 2: Jcc, LOOP, CALL, JMP, RET).
 */
#include "disasm/insn/insn.h"

#include <errno.h>

#include "disasm/insn/insn-priv.h"

enum rflags { CF = 0x1, PF = 0x4, ZF = 0x40, SF = 0x80, OF = 0x800 };

/* The 16 conditions of Jcc. code is the low four bits of the opcode; its lowest bit negates the condition. */
static bool condition(unsigned code, uint64_t flags)
{
	bool sign = flags & SF, overflow = flags & OF, result = false;

	switch (code >> 1) {
	case 0:
		result = overflow;
		break;
	case 1:
		result = flags & CF;
		break;
	case 2:
		result = flags & ZF;
		break;
	case 3:
		result = flags & (CF | ZF);
		break;
	case 4:
		result = sign;
		break;
	case 5:
		result = flags & PF;
		break;
	case 6:
		result = sign != overflow;
		break;
	case 7:
		result = flags & ZF || sign != overflow;
		break;
	default:
		break;
	}
	return result != (code & 1);
}

/* Whether jrcxz or a loop instruction branches. With an address-size prefix they count in ecx, and writing ecx clears
 * the upper half of rcx. */
static bool count_branch(const struct rfs_insn *insn, uint8_t opcode, struct user_regs_struct *regs)
{
	bool narrow = insn->prefixes & RFS_PREFIX_67;
	uint64_t count = narrow ? (uint32_t)regs->rcx : regs->rcx;

	if (opcode == 0xe3)
		return !count;
	count = narrow ? (uint32_t)(count - 1) : count - 1;
	regs->rcx = count;
	if (opcode == 0xe0 && regs->eflags & ZF)
		return false;
	if (opcode == 0xe1 && !(regs->eflags & ZF))
		return false;
	return count;
}

static bool branch_taken(const struct rfs_insn *insn, struct user_regs_struct *regs)
{
	const uint8_t *opcode = insn->bytes + insn->opcode_at;

	if (*opcode >= 0xe0 && *opcode <= 0xe3)
		return count_branch(insn, *opcode, regs);
	return condition((*opcode == 0x0f ? opcode[1] : *opcode) & 15, regs->eflags);
}

/* Reads the target of an indirect call or jump from a general register or from memory. Returns 0 or -EFAULT. */
static int indirect_target(const struct rfs_insn *insn, uint64_t bias, const struct user_regs_struct *regs,
			   const struct rfs_memory *memory, uint64_t *target)
{
	uint8_t modrm = insn->bytes[insn->opcode_at + 1];

	if (modrm >> 6 == 3) {
		*target = rfs_reg_get(regs, (modrm & 7) | (insn->rex & 1 ? 8 : 0));
		return 0;
	}
	return memory->read(memory->arg, rfs_mem_address(&insn->mem[0], bias, regs), target, sizeof(*target)) ? -EFAULT
													      : 0;
}

static int insn_emulate_push(struct user_regs_struct *regs, const struct rfs_memory *memory, uint64_t value)
{
	if (memory->write(memory->arg, regs->rsp - 8, &value, sizeof(value)))
		return -EFAULT;
	regs->rsp -= 8;
	return 0;
}

static int pop(const struct rfs_insn *insn, struct user_regs_struct *regs, const struct rfs_memory *memory,
	       uint64_t *value)
{
	const uint8_t *opcode = insn->bytes + insn->opcode_at;
	unsigned drop = *opcode == 0xc2 ? opcode[1] | opcode[2] << 8 : 0;

	if (memory->read(memory->arg, regs->rsp, value, sizeof(*value)))
		return -EFAULT;
	regs->rsp += 8 + drop;
	return 0;
}

int rfs_insn_emulate(const struct rfs_insn *insn, rfs_addr at, struct user_regs_struct *regs,
		     const struct rfs_memory *memory)
{
	uint64_t bias = at - insn->vaddr, next = at + insn->length, target = insn->target + bias;
	int result = 0;

	switch (insn->flow) {
	case RFS_FLOW_JUMP:
		break;
	case RFS_FLOW_BRANCH:
		if (!branch_taken(insn, regs))
			target = next;
		break;
	case RFS_FLOW_CALL:
		result = insn_emulate_push(regs, memory, next);
		break;
	case RFS_FLOW_JUMP_INDIRECT:
		result = indirect_target(insn, bias, regs, memory, &target);
		break;
	case RFS_FLOW_CALL_INDIRECT:
		/* read the target before the push, because its address may depend on rsp */
		result = indirect_target(insn, bias, regs, memory, &target);
		if (!result)
			result = insn_emulate_push(regs, memory, next);
		break;
	case RFS_FLOW_RETURN:
		result = pop(insn, regs, memory, &target);
		break;
	default:
		return -EINVAL;
	}
	if (!result)
		regs->rip = target;
	return result;
}
