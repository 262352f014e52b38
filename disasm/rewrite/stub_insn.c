/*
 * stub_insn.c - which instructions a stub may hold, and what a stub records for each.
 */
#include "disasm/rewrite/stub.h"

#include "disasm/insn/insn.h"

static bool is_short_branch(const struct rfs_insn *insn)
{
	uint8_t opcode = insn->bytes[insn->opcode_at];

	return (opcode >= 0x70 && opcode <= 0x7f) ||
	       (opcode == 0x0f && insn->bytes[insn->opcode_at + 1] >= 0x80 && insn->bytes[insn->opcode_at + 1] <= 0x8f);
}

/* Whether a stub can hold this indirect call. Its copy pushes the return address before it reads the operand, so the
 * operand must not depend on rsp. */
static bool call_can_be_held(const struct rfs_insn *insn)
{
	uint8_t modrm = insn->bytes[insn->opcode_at + 1];

	if (insn->bytes[insn->opcode_at] != 0xff || (modrm >> 3 & 7) != 2)
		return false;
	if (modrm >> 6 == 3)
		return (modrm & 7) != 4 || (insn->rex & 1);
	return insn->n_mem && insn->mem[0].base != RFS_RSP && insn->mem[0].index != RFS_RSP;
}

/* A stub must not contain cpuid, because rfsup may make it trap. */
static bool stub_insn_is_cpuid(const struct rfs_insn *insn)
{
	return insn->bytes[insn->opcode_at] == 0x0f && insn->bytes[insn->opcode_at + 1] == 0xa2;
}

bool rfs_stub_can_hold(const struct rfs_insn *insn)
{
	if (insn->cannot_copy || insn->pause || insn->rdtsc || stub_insn_is_cpuid(insn))
		return false;
	if (insn->rip_disp && (insn->prefixes & RFS_PREFIX_67))
		return false;
	for (unsigned i = 0; i < insn->n_mem; i++)
		if (insn->mem[i].segment == 2)
			return false;
	switch (insn->flow) {
	case RFS_FLOW_NEXT:
	case RFS_FLOW_JUMP:
	case RFS_FLOW_CALL:
	case RFS_FLOW_JUMP_INDIRECT:
	case RFS_FLOW_RETURN:
		return true;
	case RFS_FLOW_BRANCH:
		return is_short_branch(insn);
	case RFS_FLOW_CALL_INDIRECT:
		return call_can_be_held(insn);
	case RFS_FLOW_SYSCALL:
	case RFS_FLOW_TRAP:
		break;
	}
	return false;
}

/* The operand 0(%reg), whose address is the value of the register. */
static struct rfs_stub_operand in_register(int8_t reg, uint8_t kind, uint8_t flags, uint16_t size)
{
	return (struct rfs_stub_operand){
		.kind = kind,
		.mem = {.base = reg, .index = -1, .scale = 1, .flags = flags, .size = size},
	};
}

unsigned rfs_stub_operands(const struct rfs_insn *insn, const struct rfs_stub_call *call,
			   struct rfs_stub_operand out[RFS_STUB_OPERANDS])
{
	unsigned n = 0;

	for (; call && n < call->n; n++)
		out[n] = in_register(call->argument[n].reg, call->argument[n].kind, call->argument[n].flags, 1);
	if (n)
		return n;
	if (insn->rep)
		out[n++] = in_register(RFS_RCX, RFS_OPERAND_COUNT, 0, insn->mem[0].size);
	for (unsigned i = 0; i < insn->n_mem && n < RFS_STUB_OPERANDS; i++)
		if (!(insn->mem[i].flags & RFS_MEM_STACK) && (insn->mem[i].flags & (RFS_MEM_READ | RFS_MEM_WRITE)))
			out[n++] = (struct rfs_stub_operand){insn->rep ? RFS_OPERAND_RANGE : RFS_OPERAND_MEMORY,
							     insn->mem[i]};
	return n;
}

unsigned rfs_stub_records(const struct rfs_insn *insn, const struct rfs_stub_call *call,
			  const struct rfs_machine *machine, uint64_t number,
			  struct rfs_stub_record out[RFS_STUB_OPERANDS])
{
	struct rfs_stub_operand operands[RFS_STUB_OPERANDS];
	const struct user_regs_struct *regs = machine->regs;
	unsigned n = rfs_stub_operands(insn, call, operands);

	for (unsigned i = 0; i < n; i++) {
		const struct rfs_mem *mem = &operands[i].mem;

		out[i].address = rfs_mem_address(mem, 0, regs) - (mem->segment == 1 ? regs->fs_base : 0);
		/* the record contains the value at that address, which is the return address */
		if (operands[i].kind == RFS_OPERAND_CALLER &&
		    machine->read(machine->arg, out[i].address, &out[i].address, sizeof(out[i].address)))
			out[i].address = 0;
		out[i].number = number + i;
	}
	return n;
}

bool rfs_stub_can_log(const struct rfs_insn *insn)
{
	bool pops = false;

	if (!rfs_stub_can_hold(insn) || insn->rep_until || (insn->rep && (insn->prefixes & RFS_PREFIX_67)) ||
	    (insn->shape != RFS_SHAPE_PLAIN && insn->shape != RFS_SHAPE_STRING))
		return false;
	for (unsigned i = 0; i < insn->n_mem; i++)
		pops |= (insn->mem[i].flags & RFS_MEM_STACK) && (insn->mem[i].flags & RFS_MEM_READ);
	for (unsigned i = 0; i < insn->n_mem; i++) {
		const struct rfs_mem *mem = &insn->mem[i];

		if (mem->flags & RFS_MEM_STACK)
			continue;
		/* pop changes rsp before it computes an address with rsp, so lea would give another address */
		if (!mem->size || mem->index >= RFS_VECTOR || (mem->rip_relative && mem->addr32) ||
		    (pops && mem->base == RFS_RSP && insn->flow == RFS_FLOW_NEXT))
			return false;
	}
	return true;
}
