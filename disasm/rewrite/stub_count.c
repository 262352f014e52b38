/* stub_count.c - the code of a stub that lets executions of a hot statement pass, or stops (stub_control.h). */
#include "disasm/rewrite/stub-priv.h"

#include "disasm/insn/insn.h"
#include "disasm/rewrite/stub.h"

/* Writes code that stops at memory whose slot is not 0. table: where the control block has the table. */
static void put_places(struct rfs_stub_builder *b, const struct rfs_stub_operand *operand, int32_t table)
{
	const unsigned p = b->state.scratch[0], v = b->state.scratch[1];
	const struct rfs_mem *mem = &operand->mem;
	const int32_t slots = mem->size > 8 ? (int32_t)RFS_FILTER_LONG : 0;

	rfs_stub_put_address(b, operand, v);
	rfs_stub_put_control(b, 0x8b, p, table);
	rfs_stub_put_slot(b, v, (unsigned)__builtin_ctz(mem->size));
	/* movzbl slots(%p,%rcx),%ecx */
	PUT_WITH(b, slots, 0x41, 0x0f, 0xb6, modrm(2, RCX, 4), sib(0, RCX, p));
	rfs_stub_fix_slots(b, slots);
	PUT(b, 0xe3, 5); /* jrcxz, past the jump */
	PUT(b, 0xe9);	 /* jmp */
	rfs_stub_put_stop(b);
}

void rfs_stub_put_count(struct rfs_stub_builder *b, const struct rfs_stub_operand *operand)
{
	const unsigned counter = (unsigned)b->filter - RFS_STUB_PASS;
	const int32_t pass = CONTROL(pass) + (int32_t)(counter * sizeof(struct rfs_stub_pass));
	const int32_t left = pass + (int32_t)offsetof(struct rfs_stub_pass, left);

	rfs_stub_open_segment(b, 0);
	rfs_stub_put_control(b, 0x89, RCX, CONTROL(saved_rcx));
	b->state.rcx = true;
	b->untested = b->state;
	if (b->filter < RFS_STUB_COUNT)
		put_places(b, operand, pass + (int32_t)offsetof(struct rfs_stub_pass, table));
	rfs_stub_put_control(b, 0x8b, RCX, left);
	PUT(b, 0xe3, 2); /* jrcxz, past the next jump */
	PUT(b, 0xeb, 5); /* jmp, past the jump to the trap */
	PUT(b, 0xe9);	 /* jmp */
	rfs_stub_put_stop(b);
	PUT(b, 0x48, 0x8d, modrm(1, RCX, RCX), 0xff); /* lea -1(%rcx),%rcx */
	rfs_stub_put_control(b, 0x89, RCX, left);
	b->state.passed = (uint8_t)(counter + 1);
	rfs_stub_put_control(b, 0x8b, RCX, CONTROL(saved_rcx));
	b->state.rcx = false;
	rfs_stub_close_segment(b);
}
