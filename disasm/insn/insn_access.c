/* insn_access.c - computes which addresses an instruction accesses in a given machine state. */
#include "disasm/insn/insn.h"

#include <cpuid.h>
#include <errno.h>
#include <string.h>

#include "disasm/insn/insn-priv.h"

#define RFLAGS_DF 0x400

uint64_t rfs_reg_get(const struct user_regs_struct *regs, int reg)
{
	switch (reg) {
	case RFS_RAX:
		return regs->rax;
	case RFS_RCX:
		return regs->rcx;
	case RFS_RDX:
		return regs->rdx;
	case RFS_RBX:
		return regs->rbx;
	case RFS_RSP:
		return regs->rsp;
	case RFS_RBP:
		return regs->rbp;
	case RFS_RSI:
		return regs->rsi;
	case RFS_RDI:
		return regs->rdi;
	case RFS_R8:
		return regs->r8;
	case RFS_R9:
		return regs->r9;
	case RFS_R10:
		return regs->r10;
	case RFS_R11:
		return regs->r11;
	case RFS_R12:
		return regs->r12;
	case RFS_R13:
		return regs->r13;
	case RFS_R14:
		return regs->r14;
	case RFS_R15:
		return regs->r15;
	default:
		return 0;
	}
}

/* The address of an operand with this index, which is the value of a general register or one element of a vector
 * register. */
static rfs_addr address_with(const struct rfs_mem *mem, uint64_t bias, const struct user_regs_struct *regs,
			     uint64_t index)
{
	uint64_t address = (uint64_t)mem->disp + index * mem->scale;

	if (mem->rip_relative)
		address += bias;
	if (mem->base >= 0)
		address += rfs_reg_get(regs, mem->base);
	if (mem->addr32)
		address = (uint32_t)address;
	if (mem->segment)
		address += mem->segment == 1 ? regs->fs_base : regs->gs_base;
	return address;
}

rfs_addr rfs_mem_address(const struct rfs_mem *mem, uint64_t bias, const struct user_regs_struct *regs)
{
	return address_with(mem, bias, regs, mem->index >= 0 ? rfs_reg_get(regs, mem->index) : 0);
}

/* Sets bit i of *active if element i is active; all bits if the mask is unknown. Returns 0 or -errno. */
static int active_elements(const struct rfs_insn *insn, const struct rfs_machine *machine, uint64_t *active)
{
	uint8_t vector[64];
	int result;

	*active = insn->elements >= 64 ? UINT64_MAX : (1ull << insn->elements) - 1;
	if (insn->mask < 0 || !machine->vector)
		return 0;
	if (insn->mask >= RFS_MASK_K) {
		uint64_t k = 0;

		result = machine->vector(machine->arg, insn->mask - RFS_MASK_K, true, &k);
		*active &= k;
		return result;
	}
	result = machine->vector(machine->arg, insn->mask - RFS_VECTOR, false, vector);
	if (result)
		return result;
	for (unsigned i = 0; i < insn->elements; i++) /* the mask bit is the sign bit of each element */
		if (!(vector[(i + 1) * insn->element_size - 1] & 0x80))
			*active &= ~(1ull << i);
	return 0;
}

static int masked_accesses(const struct rfs_insn *insn, rfs_addr address, const struct rfs_machine *machine,
			   struct rfs_insn_access *out)
{
	const struct rfs_mem *mem = &insn->mem[0];
	unsigned distinct = mem->size / insn->element_size, count = 0;
	uint64_t active, touched = 0;
	int result = active_elements(insn, machine, &active);

	if (result)
		return result;
	if (insn->packed) {
		unsigned n = (unsigned)__builtin_popcountll(active);

		touched = n >= 64 ? UINT64_MAX : (1ull << n) - 1;
	} else {
		for (unsigned i = 0; i < insn->elements; i++) /* a broadcast reuses its few elements */
			if (active & (1ull << i))
				touched |= 1ull << (i % distinct);
	}
	for (unsigned i = 0; i < distinct; i++) {
		unsigned first = i;

		if (!(touched & (1ull << i)))
			continue;
		while (i + 1 < distinct && touched & (1ull << (i + 1)))
			i++;
		if (count == RFS_INSN_ACCESSES) {
			struct rfs_insn_access *last = &out[count - 1];

			last->size = address + (i + 1ul) * insn->element_size - last->address;
			continue;
		}
		out[count++] = (struct rfs_insn_access){.address = address + (uint64_t)first * insn->element_size,
							.size = (i + 1ul - first) * insn->element_size,
							.flags = mem->flags};
	}
	return (int)count;
}

static int gather_accesses(const struct rfs_insn *insn, uint64_t bias, const struct rfs_machine *machine,
			   struct rfs_insn_access *out)
{
	const struct rfs_mem *mem = &insn->mem[0];
	uint8_t indices[64];
	uint64_t active;
	int count = 0, result;

	if (!machine->vector)
		return -ENOTSUP;
	result = active_elements(insn, machine, &active);
	if (result)
		return result;
	result = machine->vector(machine->arg, mem->index - RFS_VECTOR, false, indices);
	if (result)
		return result;
	for (unsigned i = 0; i < insn->elements; i++) {
		int32_t narrow;
		uint64_t index;

		if (!(active & (1ull << i)))
			continue;
		if (insn->index_size == 4) {
			memcpy(&narrow, indices + 4ul * i, sizeof(narrow));
			index = (uint64_t)(int64_t)narrow;
		} else {
			memcpy(&index, indices + 8ul * i, sizeof(index));
		}
		out[count++] = (struct rfs_insn_access){.address = address_with(mem, bias, machine->regs, index),
							.size = insn->element_size,
							.flags = mem->flags};
	}
	return count;
}

/* Reduces *count to the number of elements that cmps or scas with repe or repne compares, including the one that ends
 * the loop. Returns 0 or -errno. */
static int compared_elements(const struct rfs_insn *insn, const rfs_addr *start, int64_t step,
			     const struct rfs_machine *machine, uint64_t *count)
{
	unsigned size = insn->mem[0].size;

	for (uint64_t i = 0; i < *count; i++) {
		uint64_t a = 0, b = 0;
		uint64_t offset = (uint64_t)(step * (int64_t)i);
		int result = machine->read(machine->arg, start[0] + offset, &a, size);

		if (!result && insn->n_mem > 1)
			result = machine->read(machine->arg, start[1] + offset, &b, size);
		else
			memcpy(&b, &machine->regs->rax, size);
		if (result)
			return result;
		if ((a == b) != (insn->rep_until == 1)) {
			*count = i + 1;
			return 0;
		}
	}
	return 0;
}

static int string_accesses(const struct rfs_insn *insn, uint64_t bias, const struct rfs_machine *machine,
			   struct rfs_insn_access *out)
{
	uint64_t count = 1, size = insn->mem[0].size;
	bool down = machine->regs->eflags & RFLAGS_DF;
	rfs_addr start[2];
	int result;

	if (insn->rep) {
		count = machine->regs->rcx;
		if (insn->prefixes & RFS_PREFIX_67)
			count = (uint32_t)count;
	}
	if (!count)
		return 0;
	for (unsigned i = 0; i < insn->n_mem; i++)
		start[i] = rfs_mem_address(&insn->mem[i], bias, machine->regs);
	if (insn->rep_until && machine->read) {
		result = compared_elements(insn, start, down ? -(int64_t)size : (int64_t)size, machine, &count);
		if (result)
			return result;
	}
	for (unsigned i = 0; i < insn->n_mem; i++)
		out[i] = (struct rfs_insn_access){.address = down ? start[i] - (count - 1) * size : start[i],
						  .size = count * size,
						  .flags = insn->mem[i].flags};
	return insn->n_mem;
}

static uint64_t read_xcr0(void)
{
	uint32_t low, high;

	/* xgetbv, as bytes because its mnemonic needs -mxsave */
	__asm__ volatile(".byte 0x0f, 0x01, 0xd0" : "=a"(low), "=d"(high) : "c"(0));
	return (uint64_t)high << 32 | low;
}

/*
 * The size of the memory area of xsave and similar instructions (SDM vol. 1, 13.4). It begins with 512 bytes of legacy
 * state and a header of 64 bytes. Then come the components that edx:eax requests. They are at offsets from CPUID
 * (standard form), or one after the other (compacted form).
 */
static uint64_t xsave_size(const struct user_regs_struct *regs, bool compacted)
{
	uint64_t asked, end = 512 + 64;
	unsigned size, offset, flags, unused;

	if (!__get_cpuid_count(1, 0, &unused, &unused, &flags, &unused) || !(flags & bit_OSXSAVE))
		return end;
	asked = (regs->rdx << 32 | (uint32_t)regs->rax) & read_xcr0();
	for (unsigned i = 2; i < 63; i++) {
		if (!(asked & (1ull << i)) || !__get_cpuid_count(13, i, &size, &offset, &flags, &unused))
			continue;
		if (!compacted)
			end = offset + size > end ? offset + size : end;
		else
			end = (flags & 2 ? (end + 63) & ~63ull : end) + size;
	}
	return end;
}

static int xsave_access(const struct rfs_insn *insn, rfs_addr address, const struct rfs_machine *machine,
			struct rfs_insn_access *out)
{
	bool compacted = insn->bytes[insn->opcode_at + 1] == 0xc7; /* xsavec */
	uint64_t layout = 0;

	if (insn->mem[0].flags == RFS_MEM_READ && machine->read) { /* xrstor: bit 63 of XCOMP_BV in the header */
		int result = machine->read(machine->arg, address + 520, &layout, sizeof(layout));

		if (result)
			return result;
		compacted = layout >> 63;
	}
	*out = (struct rfs_insn_access){
		.address = address, .size = xsave_size(machine->regs, compacted), .flags = insn->mem[0].flags};
	return 1;
}

/*
 * The address that bt and similar instructions access if the bit index is in a register. The index is signed and has
 * the width of the operand. It moves the address by whole operands.
 */
static rfs_addr bit_address(const struct rfs_insn *insn, rfs_addr address, const struct user_regs_struct *regs)
{
	uint64_t raw = rfs_reg_get(regs, insn->bit_index);

	switch (insn->mem[0].size) {
	case 2:
		return address + (uint64_t)(((int16_t)raw >> 4) * 2);
	case 4:
		return address + (uint64_t)(((int64_t)(int32_t)raw >> 5) * 4);
	default:
		return address + (uint64_t)(((int64_t)raw >> 6) * 8);
	}
}

int rfs_insn_accesses(const struct rfs_insn *insn, uint64_t bias, const struct rfs_machine *machine,
		      struct rfs_insn_access *out)
{
	rfs_addr address;

	if (!insn->n_mem)
		return 0;
	if (insn->shape == RFS_SHAPE_STRING)
		return string_accesses(insn, bias, machine, out);
	if (insn->shape == RFS_SHAPE_GATHER || insn->shape == RFS_SHAPE_SCATTER)
		return gather_accesses(insn, bias, machine, out);
	address = rfs_mem_address(&insn->mem[0], bias, machine->regs);
	if (insn->shape == RFS_SHAPE_MASKED)
		return masked_accesses(insn, address, machine, out);
	if (insn->shape == RFS_SHAPE_XSAVE)
		return xsave_access(insn, address, machine, out);
	if (insn->shape == RFS_SHAPE_BIT)
		address = bit_address(insn, address, machine->regs);
	else if (insn->shape == RFS_SHAPE_XLAT)
		address = address_with(&insn->mem[0], bias, machine->regs, machine->regs->rax & 0xff);
	for (unsigned i = 0; i < insn->n_mem; i++) {
		const struct rfs_mem *mem = &insn->mem[i];

		out[i] = (struct rfs_insn_access){.address = i ? rfs_mem_address(mem, bias, machine->regs) : address,
						  .size = mem->size,
						  .flags = mem->flags};
	}
	return insn->n_mem;
}
