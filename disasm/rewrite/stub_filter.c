/* stub_filter.c - the code of a stub that drops accesses (stub_control.h). p and v are the scratch registers; p holds
 * the table or a key, v the address of the access. */
#include "disasm/rewrite/stub.h"

#include <string.h>

#include "disasm/insn/insn.h"
#include "disasm/rewrite/stub-priv.h"

bool rfs_stub_filtered(const struct rfs_insn *insn, const struct rfs_stub_call *call, struct rfs_stub_operand *out)
{
	struct rfs_stub_operand operands[RFS_STUB_OPERANDS];
	const struct rfs_mem *mem = &operands[0].mem;

	/* A transfer of control closes the segment before its copy. An instruction with two operands has one copy, but
	 * needs four: each operand may be recorded or dropped. */
	if (call || insn->rep || insn->flow != RFS_FLOW_NEXT || rfs_stub_operands(insn, NULL, operands) != 1)
		return false;
	if (operands[0].kind != RFS_OPERAND_MEMORY || mem->segment == 1 || mem->size > RFS_FILTER_LONGEST ||
	    (mem->size & (mem->size - 1u)))
		return false;
	*out = operands[0];
	return true;
}

void rfs_stub_put_slot(struct rfs_stub_builder *b, unsigned v, unsigned size)
{
	/* pext %gs:mask,%v,%rcx */
	PUT_WITH(b, CONTROL(mask) + 8 * (int32_t)size, 0x65, 0xc4, 0xe2, (uint8_t)(0x82 | (~v & 15) << 3), 0xf5,
		 modrm(0, RCX, 4), 0x25);
}

void rfs_stub_fix_slots(struct rfs_stub_builder *b, int32_t slots)
{
	if (slots)
		rfs_stub_fix(b, RFS_FIXUP_SLOTS, b->stub->length - 4, 0, 0);
}

static int32_t slots_of(enum rfs_stub_filter filter, const struct rfs_mem *mem)
{
	if (filter == RFS_FILTER_REPEATS)
		return mem->flags & RFS_MEM_WRITE ? (int32_t)RFS_FILTER_WRITES : 0;
	return mem->size > 8 ? (int32_t)RFS_FILTER_LONG : 0;
}

/* How many accesses a record of this operand counts as. */
static uint8_t stub_filter_weight(const struct rfs_mem *mem)
{
	return (mem->flags & RFS_MEM_READ) && (mem->flags & RFS_MEM_WRITE) ? 2 : 1;
}

/* Counts a dropped access. The byte that is read is behind the buffer if the count has reached its limit. */
static void put_drop(struct rfs_stub_builder *b, const struct rfs_mem *mem, unsigned p, unsigned v)
{
	rfs_stub_put_control(b, 0x8b, RCX, CONTROL(dropped));
	PUT(b, 0x48, 0x8d, modrm(1, RCX, RCX), stub_filter_weight(mem)); /* lea weight(%rcx),%rcx */
	PUT(b, 0x44, 0x0f, 0xb6, modrm(0, p, RCX));			 /* movzbl (%rcx),%p */
	rfs_stub_put_control(b, 0x89, RCX, CONTROL(dropped));
	b->state.dropped = stub_filter_weight(mem);
	rfs_stub_put_control(b, 0x8b, RCX, CONTROL(sum));
	PUT(b, 0x4a, 0x8d, modrm(0, RCX, 4), sib(0, v, RCX)); /* lea (%rcx,%v),%rcx */
	rfs_stub_put_control(b, 0x89, RCX, CONTROL(sum));
	b->state.summed = true;
}

void rfs_stub_put_question(struct rfs_stub_builder *b, size_t i, const struct rfs_stub_operand *operand)
{
	const unsigned p = b->state.scratch[0], v = b->state.scratch[1];
	const struct rfs_mem *mem = &operand->mem;
	struct rfs_stub_miss *miss = &b->misses[b->n_misses++];
	const uint8_t size = (uint8_t)__builtin_ctz(mem->size);
	const int32_t slots = slots_of(b->filter, mem);

	rfs_stub_put_control(b, 0x89, RCX, CONTROL(saved_rcx));
	b->state.rcx = true;
	rfs_stub_put_address(b, operand, v);
	rfs_stub_put_control(b, 0x8b, p, CONTROL(table));
	rfs_stub_put_slot(b, v, size);
	if (b->filter == RFS_FILTER_REPEATS) {
		/* mov slots(%p,%rcx,8),%rcx */
		PUT_WITH(b, slots, 0x49, 0x8b, modrm(2, RCX, 4), sib(3, RCX, p));
		rfs_stub_fix_slots(b, slots);
		rfs_stub_put_control(b, 0x8b, p, CONTROL(segment));
		PUT(b, 0x4f, 0x8d, modrm(1, p, 4), sib(3, v, p), size);	 /* lea size(%p,%v,8),%p */
		PUT(b, 0x4a, 0x8d, modrm(1, RCX, 4), sib(0, p, RCX), 1); /* lea 1(%rcx,%p),%rcx */
	} else {
		/* movzbl slots(%p,%rcx),%ecx */
		PUT_WITH(b, slots, 0x41, 0x0f, 0xb6, modrm(2, RCX, 4), sib(0, RCX, p));
		rfs_stub_fix_slots(b, slots);
	}
	PUT(b, 0xe3, 5); /* jrcxz, past the jump */
	*miss = (struct rfs_stub_miss){.insn = i,
				       .state = b->state,
				       .jump = b->stub->length + 1,
				       .number = b->stub->n_records,
				       .slots = slots,
				       .size = size};
	PUT_WITH(b, 0, 0xe9);
	b->stub->n_records++;
	put_drop(b, mem, p, v);
	rfs_stub_put_control(b, 0x8b, RCX, CONTROL(saved_rcx));
	b->state.rcx = false;
}

void rfs_stub_end_question(struct rfs_stub_builder *b)
{
	b->misses[b->n_misses - 1].back = b->stub->length;
	b->state.dropped = 0;
	b->state.summed = false;
}

/* Puts the complement of the key into its slot. After the record: a thread that leaves the stub before the record must
 * not find the key later. */
static void put_key(struct rfs_stub_builder *b, const struct rfs_stub_miss *miss, unsigned p, unsigned v)
{
	rfs_stub_put_control(b, 0x8b, RCX, CONTROL(off));
	PUT(b, 0x4e, 0x8d, modrm(0, p, 4), sib(0, p, RCX)); /* lea (%rcx,%p),%p */
	PUT(b, 0x49, 0xf7, modrm(3, 2, p));		    /* not %p */
	rfs_stub_put_slot(b, v, miss->size);
	rfs_stub_put_control(b, 0x8b, v, CONTROL(table));
	/* mov %p,slots(%v,%rcx,8) */
	PUT_WITH(b, miss->slots, 0x4d, 0x89, modrm(2, p, 4), sib(3, RCX, v));
	rfs_stub_fix_slots(b, miss->slots);
}

static void put_miss(struct rfs_stub_builder *b, const struct rfs_stub_miss *miss)
{
	const unsigned p = miss->state.scratch[0], v = miss->state.scratch[1];
	const int32_t there = (int32_t)(b->stub->length - (miss->jump + 4));
	int32_t back;

	memcpy(b->stub->code + miss->jump, &there, sizeof(there));
	b->state = miss->state;
	rfs_stub_put_control(b, 0x8b, RCX, CONTROL(next));
	PUT(b, 0x4c, 0x89, modrm(0, v, RCX));				     /* mov %v,(%rcx) */
	PUT_WITH(b, (int32_t)miss->number, 0x48, 0xc7, modrm(1, 0, RCX), 8); /* movq $number,8(%rcx) */
	rfs_stub_fix(b, RFS_FIXUP_RECORD, b->stub->length - 4, 0, 0);
	PUT(b, 0x48, 0x8d, modrm(1, RCX, RCX), (uint8_t)RECORD_SIZE); /* lea 16(%rcx),%rcx */
	rfs_stub_put_control(b, 0x89, RCX, CONTROL(next));
	b->state.own = 1;
	if (b->filter == RFS_FILTER_REPEATS)
		put_key(b, miss, p, v);
	rfs_stub_put_control(b, 0x8b, RCX, CONTROL(saved_rcx));
	b->state.rcx = false;
	rfs_stub_put_plain_copy(b, &b->insns[miss->insn]);
	b->state.own = 0;
	b->state.insn++;
	back = (int32_t)miss->back - (int32_t)(b->stub->length + 5);
	PUT_WITH(b, back, 0xe9);
}

void rfs_stub_put_misses(struct rfs_stub_builder *b)
{
	for (size_t i = 0; i < b->n_misses && !b->error; i++)
		put_miss(b, &b->misses[i]);
}
