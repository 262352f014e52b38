/*
 * insn_write.c - executes moves, arithmetic, pushes and calls on saved registers. What is written is computed in
 * insn_update.c; here are the flags (Intel SDM vol. 1, section 3.4.3, and vol. 2 of each instruction).
 *
 * All flags follow from the value before and the new one. So the other operand of add or sub is not needed: it is their
 * difference.
 */
#include "disasm/insn/insn_write.h"

#include <errno.h>
#include <string.h>

#include "disasm/insn/insn-priv.h"
#include "disasm/insn/insn.h"

enum { CF = 0x1, PF = 0x4, AF = 0x10, ZF = 0x40, SF = 0x80, RF = 0x10000, OF = 0x800 };

/* What happens to the flags. */
enum effect {
	KEEPS,	     /* mov, not */
	LOGIC,	     /* and, or, xor */
	ADDS,	     /* add */
	SUBTRACTS,   /* sub */
	NEGATES,     /* neg: 0 minus the operand */
	COUNTS_UP,   /* inc: like add, but CF stays */
	COUNTS_DOWN, /* dec */
	UNKNOWN,     /* not handled here, or the instruction changes another register too */
};

/* The operations of opcodes 0x00 to 0x3f and 0x80 to 0x83. */
static enum effect of_arithmetic(unsigned which)
{
	static const enum effect effects[8] = {ADDS,  LOGIC,  UNKNOWN /* adc */, UNKNOWN /* sbb */, LOGIC, SUBTRACTS,
					       LOGIC, UNKNOWN /* cmp */};

	return effects[which & 7];
}

static enum effect effect_of(const struct rfs_insn *insn)
{
	const uint8_t opcode = insn->bytes[insn->opcode_at], digit = insn->bytes[insn->opcode_at + 1] >> 3 & 7;

	if (opcode < 0x40 && (opcode & 7) < 2)
		return of_arithmetic(opcode >> 3);
	switch (opcode) {
	case 0x80:
	case 0x81:
	case 0x83:
		return of_arithmetic(digit);
	case 0x88:
	case 0x89:
	case 0xc6:
	case 0xc7:
		return KEEPS;
	case 0xf6:
	case 0xf7:
		return digit == 2 ? KEEPS : digit == 3 ? NEGATES : UNKNOWN;
	case 0xfe:
	case 0xff:
		return digit == 0 ? COUNTS_UP : digit == 1 ? COUNTS_DOWN : UNKNOWN;
	default:
		return UNKNOWN;
	}
}

/* CF, AF and OF of old + operand = new, or of old - operand = new, which have the highest bit `sign`. */
static uint64_t carries(bool adds, uint64_t old, uint64_t operand, uint64_t new, uint64_t sign)
{
	const uint64_t overflow = adds ? ~(old ^ operand) & (old ^ new) : (old ^ operand) & (old ^ new);

	return ((adds ? new < old : new > old) ? CF : 0) | ((old ^ operand ^ new) & AF) | (overflow & sign ? OF : 0);
}

static uint64_t flags_after(enum effect effect, uint64_t old, uint64_t new, unsigned bits, uint64_t flags)
{
	const uint64_t sign = UINT64_C(1) << (bits - 1), mask = sign | (sign - 1);
	const bool counts = effect == COUNTS_UP || effect == COUNTS_DOWN;
	const uint64_t kept = flags & (counts ? CF : 0);

	if (effect == KEEPS)
		return flags;
	flags &= ~(uint64_t)(CF | PF | AF | ZF | SF | OF);
	flags |= (new ? 0 : ZF) | (new &sign ? SF : 0) | (__builtin_parityll(new & 0xff) ? 0 : PF);
	if (effect == ADDS || effect == COUNTS_UP)
		flags |= carries(true, old, (new - old) & mask, new, sign);
	else if (effect == NEGATES)
		flags |= carries(false, 0, old, new, sign);
	else if (effect != LOGIC)
		flags |= carries(false, old, (old - new) & mask, new, sign);
	return counts ? (flags & ~(uint64_t)CF) | kept : flags;
}

static int write_update(const struct rfs_insn *insn, rfs_addr at, struct user_regs_struct *regs,
			const struct rfs_memory *memory)
{
	const rfs_addr address = rfs_mem_address(&insn->mem[0], at - insn->vaddr, regs);
	const enum effect effect = effect_of(insn);
	const size_t size = insn->mem[0].size;
	uint64_t old = 0, new;

	/* the first call says whether the size is one of a general register */
	if (effect == UNKNOWN || !rfs_insn_update(insn, regs, 0, &new))
		return -EINVAL;
	if (memory->read(memory->arg, address, &old, size))
		return -EFAULT;
	if (!rfs_insn_update(insn, regs, old, &new) || memory->write(memory->arg, address, &new, size))
		return -EFAULT;
	regs->eflags = flags_after(effect, old, new, 8 * (unsigned)size, regs->eflags);
	return 0;
}

/* The value of push with a register or an immediate. False: it is another instruction. */
static bool pushed(const struct rfs_insn *insn, const struct user_regs_struct *regs, uint64_t *value)
{
	const uint8_t *opcode = insn->bytes + insn->opcode_at;
	int32_t immediate;

	if (insn->n_mem != 1 || insn->mem[0].size != 8 || !(insn->mem[0].flags & RFS_MEM_WRITE))
		return false;
	if (*opcode >= 0x50 && *opcode < 0x58) {
		*value = rfs_reg_get(regs, (*opcode & 7) | (insn->rex & 1 ? 8 : 0));
		return true;
	}
	if (*opcode == 0x6a) {
		*value = (uint64_t)(int64_t)(int8_t)opcode[1];
		return true;
	}
	if (*opcode != 0x68)
		return false;
	memcpy(&immediate, opcode + 1, sizeof(immediate));
	*value = (uint64_t)(int64_t)immediate;
	return true;
}

int rfs_insn_write(const struct rfs_insn *insn, rfs_addr at, struct user_regs_struct *regs,
		   const struct rfs_memory *memory)
{
	uint64_t value;
	int error;

	if (insn->flow == RFS_FLOW_CALL || insn->flow == RFS_FLOW_CALL_INDIRECT) {
		error = rfs_insn_emulate(insn, at, regs, memory);
	} else if (insn->flow != RFS_FLOW_NEXT || insn->shape != RFS_SHAPE_PLAIN) {
		return -EINVAL;
	} else if (pushed(insn, regs, &value)) {
		error = memory->write(memory->arg, regs->rsp - 8, &value, sizeof(value)) ? -EFAULT : 0;
		regs->rsp -= error ? 0 : 8;
		regs->rip = error ? regs->rip : at + insn->length;
	} else {
		error = write_update(insn, at, regs, memory);
		regs->rip = error ? regs->rip : at + insn->length;
	}
	/* the processor clears it after each instruction */
	if (!error)
		regs->eflags &= ~(uint64_t)RF;
	return error;
}
