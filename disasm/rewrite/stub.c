/*
 * stub.c - builds stubs.
 *
 * A stub needs two scratch registers of r8 to r15. Only syscall uses those without naming them, and no group holds a
 * syscall. Any other instruction that uses one of them names it in its REX, VEX or EVEX prefix.
 *
 * A segment is a part of a group that uses neither scratch register. They are saved before it and restored after it.
 * Each segment is as long as possible, so that most groups have only one.
 */
#include "disasm/rewrite/stub.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "disasm/insn/insn.h"
#include "disasm/rewrite/stub-priv.h"

/* ---- scratch registers ---- */

/* The registers r8 to r15 that the instruction may name, as bits 8 to 15. There may be too many, never too few. */
static unsigned names_extended(const struct rfs_insn *insn)
{
	const uint8_t *bytes = insn->bytes;
	unsigned at = insn->opcode_at, opcode_end, names = 0;
	bool r, x, b;
	uint8_t modrm, sib;

	switch (bytes[at]) {
	case 0xc5: /* VEX: the bits are inverted */
		r = !(bytes[at + 1] & 0x80);
		x = b = false;
		names |= 1u << (~bytes[at + 1] >> 3 & 15);
		opcode_end = at + 3;
		break;
	case 0xc4:
	case 0x62: /* EVEX has one more byte */
		r = !(bytes[at + 1] & 0x80);
		x = !(bytes[at + 1] & 0x40);
		b = !(bytes[at + 1] & 0x20);
		names |= 1u << (~bytes[at + 2] >> 3 & 15);
		opcode_end = at + (bytes[at] == 0x62 ? 5 : 4);
		break;
	default:
		r = insn->rex & 4;
		x = insn->rex & 2;
		b = insn->rex & 1;
		opcode_end = at + 1;
		if (bytes[at] == 0x0f)
			opcode_end += bytes[at + 1] == 0x38 || bytes[at + 1] == 0x3a ? 2 : 1;
		if (b)
			names |= 1u << (8 + (bytes[opcode_end - 1] & 7));
		break;
	}
	if (opcode_end < insn->length) {
		modrm = bytes[opcode_end];
		sib = opcode_end + 1 < insn->length ? bytes[opcode_end + 1] : 0;
		if (r)
			names |= 1u << (8 + (modrm >> 3 & 7));
		if (b)
			names |= 1u << (8 + (modrm & 7)) | 1u << (8 + (sib & 7));
		if (x)
			names |= 1u << (8 + (sib >> 3 & 7));
	}
	return names & 0xff00;
}

/* ---- writing ---- */

void rfs_stub_put(struct rfs_stub_builder *b, const void *bytes, size_t n)
{
	if (b->stub->length + n > RFS_STUB_CODE) {
		b->error = -E2BIG;
		return;
	}
	memcpy(b->stub->code + b->stub->length, bytes, n);
	b->stub->length += n;
}

static void put_byte(struct rfs_stub_builder *b, unsigned byte)
{
	uint8_t narrow = (uint8_t)byte;

	rfs_stub_put(b, &narrow, 1);
}

static void put32(struct rfs_stub_builder *b, int32_t value)
{
	rfs_stub_put(b, &value, sizeof(value));
}

void rfs_stub_mark(struct rfs_stub_builder *b)
{
	struct rfs_stub *stub = b->stub;

	if (stub->n_marks == RFS_STUB_MARKS) {
		b->error = -E2BIG;
		return;
	}
	b->state.at = (uint16_t)stub->length;
	if (!stub->unmarked)
		stub->marks[stub->n_marks] = b->state;
	stub->n_marks++;
}

void rfs_stub_fix(struct rfs_stub_builder *b, enum rfs_fixup_kind kind, size_t at, unsigned tail, rfs_addr target)
{
	struct rfs_stub *stub = b->stub;

	if (stub->n_fixups == RFS_STUB_FIXUPS) {
		b->error = -E2BIG;
		return;
	}
	stub->fixups[stub->n_fixups++] =
		(struct rfs_fixup){.target = target, .at = (uint16_t)at, .kind = (uint8_t)kind, .tail = (uint8_t)tail};
}

static void put_near(struct rfs_stub_builder *b, rfs_addr target)
{
	rfs_stub_fix(b, RFS_FIXUP_NEAR, b->stub->length, 0, target);
	put32(b, 0);
}

static void put_jump(struct rfs_stub_builder *b, rfs_addr target)
{
	rfs_stub_mark(b);
	put_byte(b, 0xe9);
	put_near(b, target);
}

void rfs_stub_put_control(struct rfs_stub_builder *b, unsigned opcode, unsigned reg, int32_t offset)
{
	const uint8_t rex = reg < 8 ? 0x48 : 0x4c;
	const uint8_t bytes[] = {0x65, rex, (uint8_t)opcode, (uint8_t)(0x04 | (reg & 7) << 3), 0x25};

	rfs_stub_mark(b);
	rfs_stub_put(b, bytes, sizeof(bytes));
	put32(b, offset);
}

/* Writes ModRM, SIB if necessary, and displacement of an operand disp(%base). base is one of r8 to r15. */
static void put_based(struct rfs_stub_builder *b, unsigned field, unsigned base, int32_t disp)
{
	bool narrow = disp >= -128 && disp <= 127;

	put_byte(b, (narrow ? 0x40u : 0x80u) | (field & 7) << 3 | (base & 7));
	if ((base & 7) == 4)
		put_byte(b, 0x24);
	if (narrow)
		put_byte(b, (uint8_t)disp);
	else
		put32(b, disp);
}

void rfs_stub_put_address(struct rfs_stub_builder *b, const struct rfs_stub_operand *operand, unsigned to)
{
	const struct rfs_mem *mem = &operand->mem;
	unsigned base = mem->base < 0 ? 5 : (unsigned)mem->base, index = mem->index < 0 ? 4 : (unsigned)mem->index;
	unsigned scale = mem->scale == 8 ? 3 : mem->scale == 4 ? 2 : mem->scale == 2 ? 1 : 0;
	int32_t disp = (int32_t)mem->disp;

	rfs_stub_mark(b);
	if (mem->base < 0 && mem->index < 0 && !mem->rip_relative && disp != mem->disp) {
		put_byte(b, 0x49); /* mov of a 64-bit constant, because movabs has an absolute address of 64 bits */
		put_byte(b, 0xb8 | (to & 7));
		rfs_stub_put(b, &mem->disp, 8);
		return;
	}
	if (mem->addr32)
		put_byte(b, 0x67);
	put_byte(b, 0x4c | (mem->index >= 8 ? 2u : 0) | (mem->base >= 8 ? 1u : 0));
	put_byte(b, operand->kind == RFS_OPERAND_CALLER ? 0x8b : 0x8d);
	if (mem->rip_relative) {
		put_byte(b, 0x05 | (to & 7) << 3);
		put_near(b, (rfs_addr)mem->disp);
		return;
	}
	/* always with SIB and 32 bits of displacement: mod 2, or mod 0 if there is no base */
	put_byte(b, (mem->base < 0 ? 0x04u : 0x84u) | (to & 7) << 3);
	put_byte(b, scale << 6 | (index & 7) << 3 | (base & 7));
	put32(b, disp);
}

/* ---- segments ---- */

void rfs_stub_open_segment(struct rfs_stub_builder *b, size_t i)
{
	static const uint8_t order[] = {11, 10, 9, 8, 15, 14, 13, 12};
	unsigned used = 0;
	size_t end = i;
	unsigned n = 0;

	for (; end < b->n; end++) {
		unsigned more = used | names_extended(&b->insns[end]);

		if (__builtin_popcount(more) > 6)
			break;
		used = more;
	}
	b->segment_end = end;
	for (unsigned k = 0; k < sizeof(order) && n < 2; k++)
		if (!(used >> order[k] & 1))
			b->state.scratch[n++] = order[k];
	rfs_stub_put_control(b, 0x89, b->state.scratch[0], CONTROL(saved[0]));
	rfs_stub_put_control(b, 0x89, b->state.scratch[1], CONTROL(saved[1]));
	if (!b->filter)
		rfs_stub_put_control(b, 0x8b, b->state.scratch[0], CONTROL(next));
	b->state.open = true;
	b->state.committed = b->filter != RFS_FILTER_NONE;
	b->state.kept = b->state.own = 0;
}

/* Lets the control block point behind the records of the segment. */
static void stub_commit(struct rfs_stub_builder *b)
{
	const uint8_t pointer = b->state.scratch[0];

	rfs_stub_mark(b);
	put_byte(b, 0x4d);
	put_byte(b, 0x8d);
	put_based(b, pointer, pointer, (b->state.kept + b->state.own) * RECORD_SIZE);
	b->state.kept = (int8_t)-b->state.own;
	rfs_stub_put_control(b, 0x89, pointer, CONTROL(next));
	b->state.committed = true;
}

void rfs_stub_close_segment(struct rfs_stub_builder *b)
{
	uint8_t pointer = b->state.scratch[0];

	if (!b->state.open)
		return;
	if (!b->state.committed)
		stub_commit(b);
	rfs_stub_put_control(b, 0x8b, b->state.scratch[1], CONTROL(saved[1]));
	rfs_stub_put_control(b, 0x8b, pointer, CONTROL(saved[0]));
	b->state.open = b->state.committed = false;
}

/* Whether the thread's next accesses may mean something else after this record, so that a new segment of the
 * filter begins. */
static bool ends_filter_segment(const struct rfs_stub_operand *operand)
{
	/* after a free, the thread may know less of the block (policy/detect/last_drops.h) */
	return operand->kind == RFS_OPERAND_BLOCK || operand->kind == RFS_OPERAND_RESIZED ||
	       operand->kind >= RFS_OPERAND_ALLOCATED;
}

static void put_filter_segment(struct rfs_stub_builder *b)
{
	const unsigned value = b->state.scratch[1];

	rfs_stub_put_control(b, 0x8b, value, CONTROL(segment));
	rfs_stub_mark(b);
	put_byte(b, 0x4d);
	put_byte(b, 0x8d);
	put_based(b, value, value, (int32_t)RFS_FILTER_SEGMENT);
	rfs_stub_put_control(b, 0x89, value, CONTROL(segment));
}

static void log_operand(struct rfs_stub_builder *b, const struct rfs_stub_operand *operand)
{
	const unsigned pointer = b->state.scratch[0], value = b->state.scratch[1];
	const int32_t offset = b->filter ? 0 : (b->state.kept + b->state.own) * RECORD_SIZE;

	rfs_stub_put_address(b, operand, value);
	if (b->filter)
		rfs_stub_put_control(b, 0x8b, pointer, CONTROL(next));
	rfs_stub_mark(b);
	put_byte(b, 0x4d);
	put_byte(b, 0x89);
	put_based(b, value, pointer, offset);
	rfs_stub_mark(b);
	put_byte(b, 0x49);
	put_byte(b, 0xc7);
	put_based(b, 0, pointer, offset + 8);
	rfs_stub_fix(b, RFS_FIXUP_RECORD, b->stub->length, 0, 0);
	put32(b, (int32_t)b->stub->n_records);
	b->stub->n_records++;
	if (b->filter) {
		rfs_stub_mark(b);
		put_byte(b, 0x4d);
		put_byte(b, 0x8d);
		put_based(b, pointer, pointer, RECORD_SIZE);
		rfs_stub_put_control(b, 0x89, pointer, CONTROL(next));
	}
	b->state.own++;
	if (ends_filter_segment(operand))
		put_filter_segment(b);
}

/* ---- tests ---- */

void rfs_stub_put_stop(struct rfs_stub_builder *b)
{
	b->stops[b->n_stops++] = (uint16_t)b->stub->length;
	put32(b, 0);
}

/* Writes a jump to the trap on this condition (Intel SDM vol. 2, appendix B.1.4.7). */
static void put_stop(struct rfs_stub_builder *b, unsigned condition)
{
	rfs_stub_mark(b);
	put_byte(b, 0x0f);
	put_byte(b, 0x80 | condition);
	rfs_stub_put_stop(b);
}

/* Writes an instruction with the operand %gs:offset. opcode: the bytes between the gs prefix and the SIB byte. */
static void put_on_control(struct rfs_stub_builder *b, const uint8_t *opcode, size_t n, uint8_t offset)
{
	put_byte(b, 0x65);
	rfs_stub_put(b, opcode, n);
	put_byte(b, 0x25);
	put32(b, offset);
}

/* Writes the comparison of rfs_stub_lent.calls[i] with 0. */
static void put_any_left(struct rfs_stub_builder *b, uint32_t i)
{
	static const uint8_t compare[] = {0x83, 0x3c};

	rfs_stub_mark(b);
	put_on_control(b, compare, sizeof(compare), (uint8_t)(CONTROL(lent.calls) + 4 * i));
	put_byte(b, 0);
}

/* Whether ZF means that the test fails, after the code that stub_put_test() writes. */
static bool fails_if_zero(const struct rfs_stub_test *test)
{
	return test->kind == RFS_TEST_ANY || test->kind == RFS_TEST_LENT;
}

/* Writes code that sets ZF if the test succeeds; with fails_if_zero(), if the test fails. */
static void stub_put_test(struct rfs_stub_builder *b, const struct rfs_stub_test *test)
{
	const unsigned value = b->state.scratch[1] & 7, reg = (unsigned)test->reg;
	const uint8_t load[] = {0x44, 0x8b, (uint8_t)(0x40 | value << 3 | reg), (uint8_t)test->offset};
	const uint8_t copy[] = {0x49, 0x89, (uint8_t)(0xc0 | reg << 3 | value)};
	const uint8_t mask[] = {0x41, 0x81, (uint8_t)(0xe0 | value)}, compare[] = {0x41, 0x81, (uint8_t)(0xf8 | value)};
	const uint8_t modrm = (uint8_t)(0x04 | value << 3);
	const uint8_t differ[] = {0x4c, 0x33, modrm}, both[] = {0x4c, 0x23, modrm},
		      compare_self[] = {0x44, 0x3b, modrm};

	if (test->kind == RFS_TEST_LENT) {
		put_any_left(b, test->value);
		return;
	}
	rfs_stub_mark(b);
	if (test->kind == RFS_TEST_ONLY) {
		rfs_stub_put(b, copy, sizeof(copy));
		rfs_stub_mark(b);
		put_on_control(b, differ, sizeof(differ), CONTROL(lent.only));
		rfs_stub_mark(b);
		put_on_control(b, both, sizeof(both), CONTROL(lent.mask));
		return;
	}
	rfs_stub_put(b, load, sizeof(load));
	rfs_stub_mark(b);
	rfs_stub_put(b, mask, sizeof(mask));
	put32(b, (int32_t)test->mask);
	if (test->kind == RFS_TEST_ANY)
		return; /* the mask was applied by an instruction that sets ZF */
	rfs_stub_mark(b);
	if (test->kind == RFS_TEST_SELF) {
		put_on_control(b, compare_self, sizeof(compare_self), CONTROL(lent.self));
		return;
	}
	rfs_stub_put(b, compare, sizeof(compare));
	put32(b, (int32_t)test->value);
}

/* Writes all tests of a call. The segment must be open, because tests use a scratch register. */
static void put_tests(struct rfs_stub_builder *b, const struct rfs_stub_call *call)
{
	static const uint8_t one_less[] = {0xff, 0x0c};
	const uint8_t lent = (uint8_t)(CONTROL(lent.calls) + 4 * call->lent);

	b->untested = b->state;
	put_any_left(b, call->lent);
	put_stop(b, 0xe); /* le */
	for (size_t i = 0; i < call->n_tests; i++) {
		stub_put_test(b, &call->test[i]);
		put_stop(b, fails_if_zero(&call->test[i]) ? 0x4 : 0x5); /* e, ne */
	}
	b->stub->tests_end = (uint16_t)b->stub->length;
	rfs_stub_mark(b);
	put_on_control(b, one_less, sizeof(one_less), lent);
}

/* ---- copies ---- */

static void stub_put_bytes(struct rfs_stub_builder *b, const struct rfs_insn *insn, const uint8_t *bytes)
{
	size_t at = b->stub->length;
	int32_t disp;

	rfs_stub_put(b, bytes, insn->length);
	if (!insn->rip_disp)
		return;
	memcpy(&disp, bytes + insn->rip_disp, sizeof(disp));
	rfs_stub_fix(b, RFS_FIXUP_NEAR, at + insn->rip_disp, insn->length - insn->rip_disp - 4u,
		     insn->vaddr + insn->length + (uint64_t)(int64_t)disp);
}

/* Writes a call as a push of the return address and a jump. The pushed address is the program's own, not one in the
 * stub, so unwinding works as usual. */
static void stub_put_call(struct rfs_stub_builder *b, const struct rfs_insn *insn)
{
	uint8_t bytes[RFS_INSN_MAX];
	size_t hole;
	int32_t distance;

	rfs_stub_mark(b);
	put_byte(b, 0xff);
	put_byte(b, 0x35);
	hole = b->stub->length;
	put32(b, 0);
	b->state.pushed = true;
	b->state.copy = true;
	if (insn->flow == RFS_FLOW_CALL) {
		put_jump(b, insn->target);
	} else {
		rfs_stub_mark(b);
		memcpy(bytes, insn->bytes, sizeof(bytes));
		bytes[insn->opcode_at + 1] = (uint8_t)((bytes[insn->opcode_at + 1] & ~0x38) | 0x20);
		stub_put_bytes(b, insn, bytes);
	}
	b->state.pushed = b->state.copy = false;
	distance = (int32_t)(b->stub->length - (hole + 4));
	if (!b->error)
		memcpy(b->stub->code + hole, &distance, sizeof(distance));
	rfs_stub_fix(b, RFS_FIXUP_ABSOLUTE, b->stub->length, 0, insn->vaddr + insn->length);
	rfs_stub_put(b, "\0\0\0\0\0\0\0", 8);
}

void rfs_stub_put_plain_copy(struct rfs_stub_builder *b, const struct rfs_insn *insn)
{
	b->state.copy = true;
	b->state.partly = insn->rep;
	rfs_stub_mark(b);
	b->state.copy = b->state.partly = false;
	stub_put_bytes(b, insn, insn->bytes);
}

/* Writes the copy of insn. False if control does not continue after it. */
static bool put_copy(struct rfs_stub_builder *b, const struct rfs_insn *insn)
{
	const uint8_t *opcode = insn->bytes + insn->opcode_at;

	switch (insn->flow) {
	case RFS_FLOW_CALL:
	case RFS_FLOW_CALL_INDIRECT:
		stub_put_call(b, insn);
		return false;
	case RFS_FLOW_JUMP:
		put_jump(b, insn->target);
		return false;
	case RFS_FLOW_BRANCH:
		rfs_stub_mark(b);
		put_byte(b, 0x0f);
		put_byte(b, 0x80 | ((*opcode == 0x0f ? opcode[1] : *opcode) & 15));
		put_near(b, insn->target);
		return true;
	default:
		rfs_stub_put_plain_copy(b, insn);
		return insn->flow == RFS_FLOW_NEXT;
	}
}

static bool put_insn(struct rfs_stub_builder *b, size_t i)
{
	const struct rfs_insn *insn = &b->insns[i];
	const struct rfs_stub_call *call = rfs_stub_call_of(b->call, i);
	struct rfs_stub_operand operands[RFS_STUB_OPERANDS];
	unsigned n = b->logged[i] && b->filter < RFS_STUB_COUNT ? rfs_stub_operands(insn, call, operands) : 0;
	const bool counted = b->logged[i] && b->filter >= RFS_STUB_PASS;
	const bool filtered = n && !counted && b->filter && rfs_stub_filtered(insn, call, operands);
	bool goes_on;

	b->state.insn = (uint8_t)i;
	if (b->state.open && i >= b->segment_end)
		rfs_stub_close_segment(b);
	if (counted)
		rfs_stub_put_count(b, operands);
	if (n && !counted && !b->state.open)
		rfs_stub_open_segment(b, i);
	if (n && b->call && b->call->n_tests && b->call->insn == i)
		put_tests(b, b->call);
	for (unsigned k = 0; k < n && !filtered && !counted; k++)
		log_operand(b, &operands[k]);
	if (filtered)
		rfs_stub_put_question(b, i, operands);
	if (insn->flow != RFS_FLOW_NEXT)
		rfs_stub_close_segment(b);
	goes_on = put_copy(b, insn);
	if (filtered)
		rfs_stub_end_question(b);
	if (!b->filter)
		b->state.kept = (int8_t)(b->state.kept + b->state.own);
	b->state.own = b->state.passed = 0;
	return goes_on;
}

/* Writes the whole group, and a jump to the instruction after it if control gets there. */
static void stub_put_group(struct rfs_stub_builder *b)
{
	const struct rfs_insn *last = &b->insns[b->n - 1];
	bool goes_on = true;

	for (size_t i = 0; i < b->n && !b->error; i++)
		goes_on = put_insn(b, i);
	b->state.insn = (uint8_t)b->n;
	if (goes_on) {
		rfs_stub_close_segment(b);
		put_jump(b, last->vaddr + last->length);
	}
}

/* Writes the trap to which tests jump, and after it the group without records. */
static void put_trap(struct rfs_stub_builder *b)
{
	static const bool none[RFS_STUB_INSNS];

	for (size_t i = 0; i < b->n_stops && !b->error; i++) {
		const int32_t distance = (int32_t)(b->stub->length - (b->stops[i] + sizeof(distance)));

		memcpy(b->stub->code + b->stops[i], &distance, sizeof(distance));
	}
	b->state = b->untested;
	if (b->state.rcx)
		rfs_stub_put_control(b, 0x8b, RCX, CONTROL(saved_rcx));
	b->state.rcx = false;
	rfs_stub_put_control(b, 0x8b, b->state.scratch[1], CONTROL(saved[1]));
	rfs_stub_put_control(b, 0x8b, b->state.scratch[0], CONTROL(saved[0]));
	b->state.open = b->state.committed = false;
	b->stub->stop_at = (uint16_t)b->stub->length;
	rfs_stub_mark(b);
	put_byte(b, 0xcc);
	b->logged = none;
	stub_put_group(b);
}

static int build(const struct rfs_insn *insns, size_t n, const bool *logged, const struct rfs_stub_call *call,
		 enum rfs_stub_filter filter, struct rfs_stub *out)
{
	struct rfs_stub_builder b = {
		.stub = out, .insns = insns, .logged = logged, .call = call, .filter = filter, .n = n};
	struct rfs_stub_operand operands[RFS_STUB_OPERANDS];
	size_t n_records = 0;

	out->n_insns = n;
	out->tests_end = out->stop_at = 0;
	out->length = out->n_fixups = out->n_marks = out->n_records = 0;
	if (!n || n > RFS_STUB_INSNS)
		return -E2BIG;
	if (call && call->n_tests && call->insn)
		return -ENOTSUP;
	if (filter >= RFS_STUB_PASS && !logged[0])
		return -ENOTSUP;
	if (filter >= RFS_STUB_PASS && filter < RFS_STUB_COUNT && !rfs_stub_filtered(&insns[0], NULL, operands))
		return -ENOTSUP;
	for (size_t i = 0; i < n; i++) {
		const struct rfs_stub_call *how = rfs_stub_call_of(call, i);

		if (!rfs_stub_can_hold(&insns[i]) ||
		    (logged[i] && !how && filter < RFS_STUB_COUNT && !rfs_stub_can_log(&insns[i])) ||
		    (i + 1 < n && insns[i].flow != RFS_FLOW_NEXT && insns[i].flow != RFS_FLOW_BRANCH))
			return -ENOTSUP;
		out->insn_at[i] = (uint16_t)(insns[i].vaddr - insns[0].vaddr);
		out->insn_at[i + 1] = (uint16_t)(out->insn_at[i] + insns[i].length);
		n_records += logged[i] && filter < RFS_STUB_COUNT ? rfs_stub_operands(&insns[i], how, operands) : 0;
	}
	if (n_records > RFS_STUB_RECORDS)
		return -E2BIG;
	stub_put_group(&b);
	if (b.n_stops)
		put_trap(&b);
	rfs_stub_put_misses(&b);
	return b.error;
}

int rfs_stub_build(const struct rfs_insn *insns, size_t n, const bool *logged, const struct rfs_stub_call *call,
		   enum rfs_stub_filter filter, struct rfs_stub *out)
{
	const bool tests = call && call->n_tests;
	int result = build(insns, n, logged, call, tests ? RFS_FILTER_NONE : filter, out);

	/* with and without a filter, the same groups have stubs */
	if (result == -E2BIG && filter && filter < RFS_STUB_PASS)
		result = build(insns, n, logged, call, RFS_FILTER_NONE, out);
	return result;
}

int rfs_stub_place(const uint8_t *code, size_t length, const struct rfs_fixup *fixups, size_t n_fixups, uint64_t bias,
		   rfs_addr at, uint32_t first, unsigned shift, uint8_t *out)
{
	memcpy(out, code, length);
	for (size_t i = 0; i < n_fixups; i++) {
		const struct rfs_fixup *fixup = &fixups[i];
		rfs_addr target = fixup->target + bias;
		int64_t distance = (int64_t)(target - (at + fixup->at + 4 + fixup->tail));
		int32_t narrow = (int32_t)distance;

		switch ((enum rfs_fixup_kind)fixup->kind) {
		case RFS_FIXUP_NEAR:
			if (narrow != distance)
				return -ERANGE;
			break;
		case RFS_FIXUP_ABSOLUTE:
			memcpy(out + fixup->at, &target, sizeof(target));
			continue;
		case RFS_FIXUP_RECORD:
			memcpy(&narrow, code + fixup->at, sizeof(narrow));
			narrow += (int32_t)first;
			break;
		case RFS_FIXUP_SLOTS:
			memcpy(&narrow, code + fixup->at, sizeof(narrow));
			narrow >>= shift;
			break;
		}
		memcpy(out + fixup->at, &narrow, sizeof(narrow));
	}
	return 0;
}
