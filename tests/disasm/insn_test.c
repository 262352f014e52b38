/*
 * insn_test.c - what the decoder says apart from accesses: control flow, properties, limits of copies, and bytes that
 * are not an instruction. Expected values are from the Intel SDM, vol. 2.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "disasm/insn/insn.h"
#include "disasm/insn/insn_store.h"

TestSuite(insn, .timeout = 30);

#define VADDR 0x401000

enum property { ATOMIC = 1, RMW = 2, PLAIN = 4, PAUSE = 8, RDTSC = 16, NO_COPY = 32 };

struct row {
	const char *text;
	uint8_t n, code[15];
	enum rfs_flow flow;
	uint64_t target;
	unsigned properties;
	int n_mem;
};

static const struct row rows[] = {
	{"nop", 1, {0x90}, RFS_FLOW_NEXT, 0, 0, 0},
	{"endbr64", 4, {0xf3, 0x0f, 0x1e, 0xfa}, RFS_FLOW_NEXT, 0, 0, 0},
	{"rdsspq %rax", 5, {0xf3, 0x48, 0x0f, 0x1e, 0xc8}, RFS_FLOW_NEXT, 0, 0, 0},
	{"incsspq %rax", 5, {0xf3, 0x48, 0x0f, 0xae, 0xe8}, RFS_FLOW_NEXT, 0, 0, 0},
	{"wrpkru", 3, {0x0f, 0x01, 0xef}, RFS_FLOW_NEXT, 0, 0, 0},
	{"rdpkru", 3, {0x0f, 0x01, 0xee}, RFS_FLOW_NEXT, 0, 0, 0},
	{"gf2p8mulb (%rax),%xmm0", 5, {0x66, 0x0f, 0x38, 0xcf, 0x00}, RFS_FLOW_NEXT, 0, 0, 1},
	{"movdir64b (%rax),%rcx", 5, {0x66, 0x0f, 0x38, 0xf8, 0x08}, RFS_FLOW_NEXT, 0, 0, 2},
	{"clflush (%rax)", 3, {0x0f, 0xae, 0x38}, RFS_FLOW_NEXT, 0, 0, 0},
	{"clwb (%rax)", 4, {0x66, 0x0f, 0xae, 0x30}, RFS_FLOW_NEXT, 0, 0, 0},
	{"mfence", 3, {0x0f, 0xae, 0xf0}, RFS_FLOW_NEXT, 0, 0, 0},
	{"padding", 11, {0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0}, RFS_FLOW_NEXT, 0, 0, 0},
	{"pause", 2, {0xf3, 0x90}, RFS_FLOW_NEXT, 0, PAUSE, 0},
	{"rdtsc", 2, {0x0f, 0x31}, RFS_FLOW_NEXT, 0, RDTSC, 0},
	{"rdtscp", 3, {0x0f, 0x01, 0xf9}, RFS_FLOW_NEXT, 0, RDTSC, 0},
	{"syscall", 2, {0x0f, 0x05}, RFS_FLOW_SYSCALL, 0, 0, 0},
	{"int $0x80", 2, {0xcd, 0x80}, RFS_FLOW_SYSCALL, 0, 0, 0},
	{"int3", 1, {0xcc}, RFS_FLOW_TRAP, 0, 0, 0},
	{"ud2", 2, {0x0f, 0x0b}, RFS_FLOW_TRAP, 0, 0, 0},
	{"hlt", 1, {0xf4}, RFS_FLOW_TRAP, 0, 0, 0},
	{"jmp rel8", 2, {0xeb, 0xfe}, RFS_FLOW_JUMP, VADDR, 0, 0},
	{"jmp rel32", 5, {0xe9, 0, 1, 0, 0}, RFS_FLOW_JUMP, VADDR + 0x105, 0, 0},
	{"call rel32", 5, {0xe8, 0xfb, 0xff, 0xff, 0xff}, RFS_FLOW_CALL, VADDR, 0, 1},
	{"je rel8", 2, {0x74, 0x10}, RFS_FLOW_BRANCH, VADDR + 0x12, 0, 0},
	{"jne rel32", 6, {0x0f, 0x85, 0, 0, 0, 0}, RFS_FLOW_BRANCH, VADDR + 6, 0, 0},
	{"loop", 2, {0xe2, 0xfe}, RFS_FLOW_BRANCH, VADDR, 0, 0},
	{"jrcxz", 2, {0xe3, 0x00}, RFS_FLOW_BRANCH, VADDR + 2, 0, 0},
	{"call *%rax", 2, {0xff, 0xd0}, RFS_FLOW_CALL_INDIRECT, 0, 0, 1},
	{"call *(%rax)", 2, {0xff, 0x10}, RFS_FLOW_CALL_INDIRECT, 0, 0, 2},
	{"jmp *%rax", 2, {0xff, 0xe0}, RFS_FLOW_JUMP_INDIRECT, 0, 0, 0},
	{"jmp *(%rax)", 2, {0xff, 0x20}, RFS_FLOW_JUMP_INDIRECT, 0, 0, 1},
	{"ret", 1, {0xc3}, RFS_FLOW_RETURN, 0, 0, 1},
	{"ret $8", 3, {0xc2, 8, 0}, RFS_FLOW_RETURN, 0, 0, 1},
	{"lret", 1, {0xcb}, RFS_FLOW_NEXT, 0, NO_COPY, 0},
	{"iretq", 2, {0x48, 0xcf}, RFS_FLOW_NEXT, 0, NO_COPY, 0},
	{"lcall *(%rax)", 2, {0xff, 0x18}, RFS_FLOW_NEXT, 0, NO_COPY, 1},
	{"xbegin", 6, {0xc7, 0xf8, 0, 0, 0, 0}, RFS_FLOW_NEXT, 0, NO_COPY, 0},
	{"mov %eax,(%rbx)", 2, {0x89, 0x03}, RFS_FLOW_NEXT, 0, PLAIN, 1},
	{"mov (%rbx),%al", 2, {0x8a, 0x03}, RFS_FLOW_NEXT, 0, PLAIN, 1},
	{"movq $1,(%rbx)", 7, {0x48, 0xc7, 0x03, 1, 0, 0, 0}, RFS_FLOW_NEXT, 0, PLAIN, 1},
	{"movabs %eax,0x1000", 9, {0xa3, 0, 0x10, 0, 0, 0, 0, 0, 0}, RFS_FLOW_NEXT, 0, PLAIN, 1},
	{"mov %eax,%ebx", 2, {0x89, 0xc3}, RFS_FLOW_NEXT, 0, 0, 0},
	{"mov %ds,(%rax)", 2, {0x8c, 0x18}, RFS_FLOW_NEXT, 0, 0, 1},
	{"movzbl (%rax),%eax", 3, {0x0f, 0xb6, 0x00}, RFS_FLOW_NEXT, 0, 0, 1},
	{"movups (%rax),%xmm0", 3, {0x0f, 0x10, 0x00}, RFS_FLOW_NEXT, 0, 0, 1},
	{"addl $1,(%rax)", 3, {0x83, 0x00, 1}, RFS_FLOW_NEXT, 0, RMW, 1},
	{"lock addl $1,(%rax)", 4, {0xf0, 0x83, 0x00, 1}, RFS_FLOW_NEXT, 0, ATOMIC, 1},
	{"xchg %eax,(%rbx)", 2, {0x87, 0x03}, RFS_FLOW_NEXT, 0, ATOMIC, 1},
	{"xchg %eax,%ebx", 2, {0x87, 0xc3}, RFS_FLOW_NEXT, 0, 0, 0},
	{"xadd %eax,(%rbx)", 3, {0x0f, 0xc1, 0x03}, RFS_FLOW_NEXT, 0, RMW, 1},
	{"lock cmpxchg16b (%rbx)", 5, {0xf0, 0x48, 0x0f, 0xc7, 0x0b}, RFS_FLOW_NEXT, 0, ATOMIC, 1},
	{"cmpl $1,(%rax)", 3, {0x83, 0x38, 1}, RFS_FLOW_NEXT, 0, 0, 1},
	{"movsb", 1, {0xa4}, RFS_FLOW_NEXT, 0, 0, 2},
	{"pop (%rax)", 2, {0x8f, 0x00}, RFS_FLOW_NEXT, 0, 0, 2},
	{"insb", 1, {0x6c}, RFS_FLOW_NEXT, 0, 0, 0},
	{"lock incl (%rax), REX ignored before a prefix", 4, {0x48, 0xf0, 0xff, 0x00}, RFS_FLOW_NEXT, 0, ATOMIC, 1},
	{"kmovq %rbx,%k1", 5, {0xc4, 0xe1, 0xfb, 0x92, 0xcb}, RFS_FLOW_NEXT, 0, 0, 0},
	{"vzeroupper", 3, {0xc5, 0xf8, 0x77}, RFS_FLOW_NEXT, 0, 0, 0},
	{"vfmaddpd of FMA4", 6, {0xc4, 0xe3, 0xf9, 0x69, 0x10, 0x30}, RFS_FLOW_NEXT, 0, 0, 1},
};

static struct rfs_decoder *new_decoder(void)
{
	struct rfs_decoder *decoder;

	cr_assert(rfs_decoder_new(&decoder) == 0);
	return decoder;
}

static unsigned properties_of(const struct rfs_insn *insn)
{
	return (insn->atomic ? ATOMIC : 0) | (insn->rmw ? RMW : 0) | (insn->plain_move ? PLAIN : 0) |
	       (insn->pause ? PAUSE : 0) | (insn->rdtsc ? RDTSC : 0) | (insn->cannot_copy ? NO_COPY : 0);
}

Test(insn, properties)
{
	struct rfs_decoder *decoder = new_decoder();
	struct rfs_insn insn;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *row = &rows[i];

		cr_expect(rfs_insn_decode(decoder, row->code, row->n, VADDR, &insn) == 0, "%s", row->text);
		cr_expect(insn.length == row->n, "%s: length %d", row->text, insn.length);
		cr_expect(insn.flow == row->flow, "%s: flow %d", row->text, insn.flow);
		cr_expect(insn.target == row->target, "%s: target %#lx", row->text, (unsigned long)insn.target);
		cr_expect(properties_of(&insn) == row->properties, "%s: %#x", row->text, properties_of(&insn));
		cr_expect(insn.n_mem == row->n_mem, "%s: %d operands", row->text, insn.n_mem);
		for (unsigned k = 1; k < row->n; k++) { /* cut off: may decode, but never as a longer one */
			int result = rfs_insn_decode(decoder, row->code, k, VADDR, &insn);

			cr_expect(result == -EILSEQ || (result == 0 && insn.length <= k), "%s cut to %u", row->text, k);
		}
	}
	rfs_decoder_free(decoder);
}

Test(insn, operands)
{
	static const struct {
		uint8_t n, code[15];
		struct rfs_mem mem;
	} operands[] = {
		/* mov 0x10(%rip),%eax: the displacement is relative to the next instruction */
		{6, {0x8b, 0x05, 0x10, 0, 0, 0}, {RFS_MEM_READ, 4, 1, -1, -1, 0, VADDR + 0x16, true, false}},
		{9, {0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0}, {RFS_MEM_READ, 8, 1, -1, -1, 1, 0x28, false, false}},
		{5, {0x65, 0x89, 0x44, 0x8b, 0xfc}, {RFS_MEM_WRITE, 4, 4, RFS_RBX, RFS_RCX, 2, -4, false, false}},
		{4, {0x43, 0x8b, 0x04, 0xec}, {RFS_MEM_READ, 4, 8, RFS_R12, RFS_R13, 0, 0, false, false}},
		{4, {0x67, 0x8b, 0x04, 0x24}, {RFS_MEM_READ, 4, 1, RFS_RSP, -1, 0, 0, false, true}},
		{4, {0x41, 0x8b, 0x45, 0x00}, {RFS_MEM_READ, 4, 1, RFS_R13, -1, 0, 0, false, false}},
		{8, {0x42, 0x8b, 0x04, 0x85, 0, 1, 0, 0}, {RFS_MEM_READ, 4, 4, -1, RFS_R8, 0, 0x100, false, false}},
		/* vmovdqu64 %zmm16,0x40(%rax): EVEX scales the 8-bit displacement 1 to 64 */
		{7,
		 {0x62, 0xe1, 0xfe, 0x48, 0x7f, 0x40, 0x01},
		 {RFS_MEM_WRITE, 64, 1, RFS_RAX, -1, 0, 64, false, false}},
	};
	struct rfs_decoder *decoder = new_decoder();

	for (size_t i = 0; i < sizeof(operands) / sizeof(*operands); i++) {
		const struct rfs_mem *expected = &operands[i].mem, *got;
		struct rfs_insn insn;

		cr_assert(rfs_insn_decode(decoder, operands[i].code, operands[i].n, VADDR, &insn) == 0, "row %zu", i);
		got = &insn.mem[0];
		cr_expect(insn.n_mem == 1 && got->flags == expected->flags && got->size == expected->size, "row %zu",
			  i);
		cr_expect(got->scale == expected->scale && got->base == expected->base && got->index == expected->index,
			  "row %zu", i);
		cr_expect(got->segment == expected->segment && got->disp == expected->disp, "row %zu", i);
		cr_expect(got->rip_relative == expected->rip_relative && got->addr32 == expected->addr32, "row %zu", i);
	}
	rfs_decoder_free(decoder);
}

Test(insn, segments_and_narrow_addresses)
{
	const struct user_regs_struct regs = {
		.rax = 0xffffffff00001000, .rcx = 4, .fs_base = 0x7f0000000000, .gs_base = 0x100};
	const struct rfs_machine machine = {.regs = &regs};
	static const struct {
		uint8_t n, code[9];
		uint64_t address;
	} cases[] = {
		{5, {0x64, 0x8b, 0x44, 0x08, 0x10}, 0x7f0000000000 + 0xffffffff00001014},
		{6, {0x64, 0x67, 0x8b, 0x44, 0x08, 0x10}, 0x7f0000001014},
		{4, {0x65, 0x67, 0x8b, 0x00}, 0x1100},
		{2, {0x65, 0xac}, 0x100}, /* lods %gs:(%rsi) */
	};
	struct rfs_decoder *decoder = new_decoder();
	struct rfs_insn_access accesses[RFS_INSN_ACCESSES];
	struct rfs_insn insn;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		cr_assert(rfs_insn_decode(decoder, cases[i].code, cases[i].n, 0, &insn) == 0);
		cr_assert(rfs_insn_accesses(&insn, 0x5000, &machine, accesses) == 1);
		cr_expect(accesses[0].address == cases[i].address, "row %zu: %#lx", i,
			  (unsigned long)accesses[0].address);
	}
	rfs_decoder_free(decoder);
}

Test(insn, bias_counts_for_rip_relative_operands_only)
{
	static const uint8_t relative[] = {0x8b, 0x05, 0x10, 0, 0, 0}, based[] = {0x8b, 0x03};
	const struct user_regs_struct regs = {.rbx = 0x1234};
	const struct rfs_machine machine = {.regs = &regs};
	struct rfs_decoder *decoder = new_decoder();
	struct rfs_insn_access accesses[RFS_INSN_ACCESSES];
	struct rfs_insn insn;

	cr_assert(rfs_insn_decode(decoder, relative, sizeof(relative), VADDR, &insn) == 0);
	cr_assert(rfs_insn_accesses(&insn, 0x10000, &machine, accesses) == 1);
	cr_expect(accesses[0].address == VADDR + 0x10016);
	cr_assert(rfs_insn_decode(decoder, based, sizeof(based), VADDR, &insn) == 0);
	cr_assert(rfs_insn_accesses(&insn, 0x10000, &machine, accesses) == 1);
	cr_expect(accesses[0].address == 0x1234);
	rfs_decoder_free(decoder);
}

Test(insn, what_a_store_writes)
{
	static const struct {
		uint8_t n, code[15];
		bool stores;
		uint64_t value;
	} all[] = {
		{3, {0x48, 0x89, 0x10}, true, 0x1111},				   /* mov %rdx,(%rax) */
		{4, {0x4c, 0x89, 0x47, 0x10}, true, 0x2222},			   /* mov %r8,0x10(%rdi) */
		{7, {0x48, 0xc7, 0x07, 0x90, 0x20, 0x40, 0x00}, true, 0x402090},   /* movq $0x402090,(%rdi) */
		{7, {0x48, 0xc7, 0x07, 0xff, 0xff, 0xff, 0xff}, true, UINT64_MAX}, /* movq $-1,(%rdi) */
		{2, {0x89, 0x10}, false, 0},					   /* mov %edx,(%rax) */
		{3, {0x48, 0x8b, 0x10}, false, 0},				   /* mov (%rax),%rdx */
		{3, {0x48, 0x01, 0x10}, false, 0},				   /* add %rdx,(%rax) */
		{3, {0x48, 0x87, 0x10}, false, 0},				   /* xchg %rdx,(%rax) */
	};
	const struct user_regs_struct regs = {.rdx = 0x1111, .r8 = 0x2222};
	struct rfs_decoder *decoder = new_decoder();
	struct rfs_insn insn;
	uint64_t value;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		cr_assert(rfs_insn_decode(decoder, all[i].code, all[i].n, VADDR, &insn) == 0);
		value = 0;
		cr_expect(rfs_insn_stored(&insn, &regs, &value) == all[i].stores && value == all[i].value, "%zu", i);
	}
	rfs_decoder_free(decoder);
}

static int fail_vector(void *arg, int n, bool mask, void *out)
{
	(void)arg, (void)n, (void)mask, (void)out;
	return -ESRCH;
}

Test(insn, vector_state_that_is_missing)
{
	static const uint8_t gather[] = {0xc4, 0xe2, 0x61, 0x92, 0x2c, 0x8e}, masked[] = {0xc4, 0xe2, 0x65, 0x2e, 0x2e};
	const struct user_regs_struct regs = {.rsi = 0x1000};
	const struct rfs_machine none = {.regs = &regs}, fails = {.regs = &regs, .vector = fail_vector};
	struct rfs_decoder *decoder = new_decoder();
	struct rfs_insn_access accesses[RFS_INSN_ACCESSES];
	struct rfs_insn insn;

	cr_assert(rfs_insn_decode(decoder, gather, sizeof(gather), VADDR, &insn) == 0);
	cr_expect(rfs_insn_accesses(&insn, 0, &none, accesses) == -ENOTSUP);
	cr_expect(rfs_insn_accesses(&insn, 0, &fails, accesses) == -ESRCH);
	cr_assert(rfs_insn_decode(decoder, masked, sizeof(masked), VADDR, &insn) == 0);
	cr_assert(rfs_insn_accesses(&insn, 0, &none, accesses) == 1);
	cr_expect(accesses[0].size == 32 && accesses[0].flags == RFS_MEM_WRITE);
	cr_expect(rfs_insn_accesses(&insn, 0, &fails, accesses) == -ESRCH);
	rfs_decoder_free(decoder);
}

Test(insn, copies_that_are_refused)
{
	static const uint8_t relative[] = {0x8b, 0x05, 0x10, 0, 0, 0}, move[] = {0x89, 0xc3}, call[] = {0x0f, 0x05},
			     old_call[] = {0xcd, 0x80};
	const rfs_addr near = VADDR + 0x1000, far = VADDR + 0x90000000;
	struct rfs_decoder *decoder = new_decoder();
	uint8_t code[RFS_COPY_MAX];
	size_t length, total;
	struct rfs_insn insn;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		bool may = rows[i].flow == RFS_FLOW_NEXT || rows[i].flow == RFS_FLOW_SYSCALL;

		cr_assert(rfs_insn_decode(decoder, rows[i].code, rows[i].n, VADDR, &insn) == 0);
		may = may && !insn.cannot_copy;
		cr_expect((rfs_insn_copy(&insn, VADDR, near, code, &length, &total) == RFS_COPY_OK) == may, "%s",
			  rows[i].text);
	}
	cr_assert(rfs_insn_decode(decoder, relative, sizeof(relative), VADDR, &insn) == 0);
	cr_expect(rfs_insn_copy(&insn, VADDR, far, code, &length, &total) == RFS_COPY_CANNOT);
	cr_assert(rfs_insn_decode(decoder, move, sizeof(move), VADDR, &insn) == 0);
	cr_expect(rfs_insn_copy(&insn, VADDR, far, code, &length, &total) == RFS_COPY_CANNOT, "no way to jump back");
	cr_expect(rfs_insn_copy(&insn, VADDR, near, code, &length, &total) == RFS_COPY_OK && length == 2 && total == 7);
	/* rcx has the address behind the original: movabs $VADDR + 2, %rcx */
	cr_assert(rfs_insn_decode(decoder, call, sizeof(call), VADDR, &insn) == 0);
	cr_expect(rfs_insn_copy(&insn, VADDR, near, code, &length, &total) == RFS_COPY_OK && length == 2 &&
		  total == 17);
	cr_expect(memcmp(code + 2, "\x48\xb9", 2) == 0 && memcmp(code + 4, &(rfs_addr){VADDR + 2}, 8) == 0);
	cr_assert(rfs_insn_decode(decoder, old_call, sizeof(old_call), VADDR, &insn) == 0);
	cr_expect(rfs_insn_copy(&insn, VADDR, near, code, &length, &total) == RFS_COPY_OK && length == 2 && total == 7);
	rfs_decoder_free(decoder);
}

/* After a call, what does an instruction do with the result in rax? */
Test(insn, use_of_a_result)
{
	static const struct {
		const char *text;
		uint8_t n, code[8];
		enum rfs_result_use use;
	} cases[] = {
		{"mov %eax,%ebx", 2, {0x89, 0xc3}, RFS_RESULT_READ},
		{"test %al,%al", 2, {0x84, 0xc0}, RFS_RESULT_READ},
		{"cmp $-1,%eax", 3, {0x83, 0xf8, 0xff}, RFS_RESULT_READ},
		{"cltq", 2, {0x48, 0x98}, RFS_RESULT_READ},
		{"cltd", 1, {0x99}, RFS_RESULT_READ},
		{"mul %rbx", 3, {0x48, 0xf7, 0xe3}, RFS_RESULT_READ},
		{"mov (%rax),%rax", 3, {0x48, 0x8b, 0x00}, RFS_RESULT_READ},
		{"mov %ah,%bl", 2, {0x88, 0xe3}, RFS_RESULT_READ},
		{"mov $1,%al", 2, {0xb0, 0x01}, RFS_RESULT_READ}, /* the rest remains */
		{"xor %ebx,%eax", 2, {0x31, 0xd8}, RFS_RESULT_READ},
		{"cmpxchg %ecx,(%rdx)", 3, {0x0f, 0xb1, 0x0a}, RFS_RESULT_READ},
		{"rep stosq", 3, {0xf3, 0x48, 0xab}, RFS_RESULT_READ},
		{"cpuid", 2, {0x0f, 0xa2}, RFS_RESULT_READ},
		{"vmovd %eax,%xmm0", 4, {0xc5, 0xf9, 0x6e, 0xc0}, RFS_RESULT_READ},
		{"push %rax", 1, {0x50}, RFS_RESULT_READ},
		{"ret", 1, {0xc3}, RFS_RESULT_READ},
		{"syscall", 2, {0x0f, 0x05}, RFS_RESULT_READ},
		{"call *%rax", 2, {0xff, 0xd0}, RFS_RESULT_READ},
		{"jmp *%rbx", 2, {0xff, 0xe3}, RFS_RESULT_READ},
		{"mov %ebx,%ecx", 2, {0x89, 0xd9}, RFS_RESULT_KEPT},
		{"add $1,(%rbx)", 3, {0x83, 0x03, 0x01}, RFS_RESULT_KEPT},
		{"je", 2, {0x74, 0x05}, RFS_RESULT_KEPT},
		{"nop", 1, {0x90}, RFS_RESULT_KEPT},
		{"mov $0,%eax", 5, {0xb8, 0, 0, 0, 0}, RFS_RESULT_OVERWRITTEN},
		{"mov 8(%rsp),%rax", 5, {0x48, 0x8b, 0x44, 0x24, 0x08}, RFS_RESULT_OVERWRITTEN},
		{"xor %eax,%eax", 2, {0x31, 0xc0}, RFS_RESULT_OVERWRITTEN},
		{"lea 8(%rbx),%rax", 4, {0x48, 0x8d, 0x43, 0x08}, RFS_RESULT_OVERWRITTEN},
		{"movzbl (%rbx),%eax", 3, {0x0f, 0xb6, 0x03}, RFS_RESULT_OVERWRITTEN},
		{"pop %rax", 1, {0x58}, RFS_RESULT_OVERWRITTEN},
		{"call", 5, {0xe8, 0, 0, 0, 0}, RFS_RESULT_OVERWRITTEN},
		{"call *%rbx", 2, {0xff, 0xd3}, RFS_RESULT_OVERWRITTEN},
	};
	struct rfs_decoder *decoder = new_decoder();
	struct rfs_insn_detail detail;
	struct rfs_insn insn;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		cr_expect_eq(rfs_insn_decode_detail(decoder, cases[i].code, cases[i].n, VADDR, &insn, &detail), 0, "%s",
			     cases[i].text);
		cr_expect_eq(detail.result, cases[i].use, "%s: %d", cases[i].text, (int)detail.result);
	}
	rfs_decoder_free(decoder);
}

Test(insn, no_instruction)
{
	static const uint8_t bad[][4] = {{0x06},
					 {0x0f, 0x04},
					 {0x0f, 0x38, 0xff},
					 {0xc5, 0xf8, 0xff},
					 {0x62, 0, 0, 0},
					 {0xf0, 0xc5, 0xf8, 0x77},
					 {0x66, 0x66, 0x66, 0x66},
					 {0x40, 0xc5, 0xf8, 0x77}};
	struct rfs_decoder *decoder = new_decoder();
	struct rfs_insn insn;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		cr_expect(rfs_insn_decode(decoder, bad[i], sizeof(bad[i]), 0, &insn) == -EILSEQ, "row %zu", i);
	cr_expect(rfs_insn_decode(decoder, bad[0], 0, 0, &insn) == -EILSEQ);
	rfs_decoder_free(decoder);
}

/* With random bytes, the decoder does not crash, and length and number of operands stay within their limits. */
Test(insn, random_bytes)
{
	struct rfs_decoder *decoder = new_decoder();
	const struct user_regs_struct regs = {.rcx = 2, .rsi = 0x1000, .rdi = 0x2000};
	const struct rfs_machine machine = {.regs = &regs};
	struct rfs_insn_access accesses[RFS_INSN_ACCESSES];
	uint8_t bytes[20], copy[RFS_COPY_MAX];
	uint64_t state = 1;
	size_t length, total;
	struct rfs_insn insn;

	for (unsigned i = 0; i < 300000; i++) {
		size_t n = i % 16;

		for (size_t k = 0; k < sizeof(bytes); k++) {
			state = state * 6364136223846793005 + 1442695040888963407; /* Knuth, MMIX */
			bytes[k] = (uint8_t)(state >> 56);
		}
		if (i % 4 == 1)
			bytes[0] = "\x62\xc4\xc5\x0f"[i / 4 % 4];
		if (rfs_insn_decode(decoder, bytes, n, VADDR, &insn))
			continue;
		cr_assert(insn.length >= 1 && insn.length <= n && insn.n_mem <= 3);
		cr_assert(rfs_insn_accesses(&insn, 0, &machine, accesses) <= RFS_INSN_ACCESSES);
		if (rfs_insn_copy(&insn, VADDR, VADDR + 0x1000, copy, &length, &total) == RFS_COPY_OK)
			cr_assert(total <= RFS_COPY_MAX);
	}
	rfs_decoder_free(decoder);
}

static bool same(const struct rfs_insn *a, const struct rfs_insn *b)
{
	for (unsigned i = 0; i < a->n_mem && i < b->n_mem; i++) {
		const struct rfs_mem *x = &a->mem[i], *y = &b->mem[i];

		if (x->flags != y->flags || x->size != y->size || x->base != y->base || x->index != y->index ||
		    x->scale != y->scale || x->segment != y->segment || x->disp != y->disp)
			return false;
	}
	return a->length == b->length && a->flow == b->flow && a->target == b->target && a->n_mem == b->n_mem &&
	       a->shape == b->shape && a->atomic == b->atomic && a->rmw == b->rmw && a->plain_move == b->plain_move &&
	       a->pause == b->pause && a->rdtsc == b->rdtsc && a->cannot_copy == b->cannot_copy &&
	       a->rip_disp == b->rip_disp && !memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

static bool same_detail(const struct rfs_insn_detail *a, const struct rfs_insn_detail *b)
{
	return a->form == b->form && a->result == b->result && a->registers == b->registers &&
	       a->destination == b->destination && a->source == b->source && a->lea.base == b->lea.base &&
	       a->lea.index == b->lea.index && a->lea.disp == b->lea.disp;
}

/* Compares what a decoder says that has seen others with what a new decoder says. Returns whether it is an instruction.
 */
static bool compare_with_new(struct rfs_decoder *used, const uint8_t bytes[RFS_INSN_MAX], size_t n)
{
	struct rfs_decoder *fresh = new_decoder();
	struct rfs_insn_detail details[2];
	struct rfs_insn insns[2];
	char text[3 * RFS_INSN_MAX + 1];
	int result = rfs_insn_decode_detail(used, bytes, n, VADDR, &insns[0], &details[0]);

	for (size_t i = 0; i < RFS_INSN_MAX; i++)
		snprintf(text + 3 * i, 4, "%02x ", bytes[i]);
	cr_assert_eq(rfs_insn_decode_detail(fresh, bytes, n, VADDR, &insns[1], &details[1]), result, "%zu: %s", n,
		     text);
	cr_assert(result || same(&insns[0], &insns[1]), "%zu: %s", n, text);
	cr_assert(result || same_detail(&details[0], &details[1]), "%zu: %s", n, text);
	rfs_decoder_free(fresh);
	return !result;
}

/* The decoder keeps answers by the first bytes of an instruction. Other bytes after them do not mislead it. */
Test(insn, does_not_depend_on_what_was_decoded_before)
{
	static const struct {
		uint8_t n, bytes[4];
	} begins[] = {
		{3, {0x0f, 0x0f, 0xc1}},
		{3, {0x0f, 0xc2, 0xc1}},
		{3, {0x8f, 0x69, 0x71}},
		{3, {0x8f, 0xe9, 0x78}},
		{4, {0x66, 0x0f, 0x3a, 0x44}},
		{4, {0x66, 0x0f, 0x38, 0x00}},
		{2, {0x0f, 0x01}},
		{2, {0x0f, 0xae}},
		{2, {0x0f, 0xc7}},
		{2, {0xc7, 0xf8}},
		{1, {0xf7}},
		{1, {0xd9}},
		{1, {0x04}},
		{3, {0x48, 0x8b, 0x05}},
		{3, {0x48, 0x8b, 0x04}},
		{4, {0x48, 0x8b, 0x04, 0x25}},
		{2, {0x67, 0xa1}},
		{2, {0xf3, 0x90}},
	};
	struct rfs_decoder *used = new_decoder();
	uint64_t state = 1;
	unsigned valid = 0;

	for (unsigned i = 0; i < 256 * sizeof(begins) / sizeof(*begins); i++) {
		uint8_t bytes[RFS_INSN_MAX];

		memset(bytes, 0xc1, sizeof(bytes)); /* as ModRM: two registers */
		memcpy(bytes, begins[i / 256].bytes, begins[i / 256].n);
		bytes[begins[i / 256].n] = (uint8_t)i;
		valid += compare_with_new(used, bytes, i % 16 == 3 ? 3u + i / 16 % 8 : RFS_INSN_MAX);
	}
	for (unsigned i = 0; i < 4000; i++) {
		uint8_t bytes[RFS_INSN_MAX];

		for (unsigned k = 0; k < sizeof(bytes); k++) {
			state = state * 6364136223846793005 + 1442695040888963407;
			bytes[k] = (uint8_t)((k < 1 + i % 4 ? i / 16 * 0x9e3779b97f4a7c15 >> 8 * k : state) >> 56);
		}
		if (i / 16 % 2)
			bytes[0] = 0x0f;
		valid += compare_with_new(used, bytes, sizeof(bytes));
	}
	cr_expect(valid > 6000, "%u", valid);
	rfs_decoder_free(used);
}
