/* write_test.c - compares rfs_insn_write() with the CPU: registers with their flags, and memory. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/insn/insn.h"
#include "disasm/insn/insn_write.h"
#include "machine.h"

TestSuite(write, .timeout = 60);

struct bench {
	struct machine machine;
	struct rfs_decoder *decoder;
};

static struct bench *bench_new(void)
{
	struct bench *b = calloc(1, sizeof(*b));

	machine_start(&b->machine);
	cr_assert(rfs_decoder_new(&b->decoder) == 0);
	return b;
}

static void bench_free(struct bench *b)
{
	rfs_decoder_free(b->decoder);
	machine_stop(&b->machine);
	free(b);
}

static struct user_regs_struct registers(void)
{
	return (struct user_regs_struct){
		.cs = 0x33,
		.ss = 0x2b,
		.orig_rax = (unsigned long long)-1,
		.eflags = 0x202,
		.rip = machine_place(PLACE_HOME),
		.rcx = 4,
		.rdx = 0x123456789abcdef0,
		.rsi = machine_page(AREA_RSI, VIEW_WRITABLE) + 256,
		.rdi = machine_page(AREA_RDI, VIEW_WRITABLE) + 128,
		.rsp = machine_page(AREA_STACK, VIEW_WRITABLE) + 1024,
		.r9 = 0x7777777766666666,
	};
}

static void fill(struct bench *b, uint64_t value)
{
	for (unsigned area = 0; area < AREAS; area++)
		for (unsigned i = 0; i < PAGE; i += 8)
			memcpy(b->machine.page[area] + i, &value, sizeof(value));
}

/* Runs code on the CPU and executes it from the same state, with `value` in all memory. */
static void compare(struct bench *b, const uint8_t *code, size_t n, const struct user_regs_struct *regs, uint64_t value)
{
	static uint8_t pages[AREAS][PAGE];
	const struct rfs_memory memory = {machine_read, machine_write, &b->machine};
	struct user_regs_struct executed = *regs;
	struct rfs_insn insn;
	struct result result;
	char text[64] = "";

	for (size_t i = 0; i < n; i++)
		snprintf(text + 3 * i, 4, "%02x ", code[i]);
	memset(b->machine.code[PLACE_HOME], 0xcc, PAGE);
	fill(b, value);
	machine_run(&b->machine, PLACE_HOME, code, n, regs, &result);
	cr_assert(result.outcome == DONE, "%s: outcome %d", text, result.outcome);
	result.regs.rip--; /* the int3 has already run */
	for (unsigned area = 0; area < AREAS; area++)
		memcpy(pages[area], b->machine.page[area], PAGE);

	fill(b, value);
	cr_assert(rfs_insn_decode(b->decoder, code, n, regs->rip, &insn) == 0, "%s", text);
	cr_assert(insn.length == n, "%s: length %d", text, insn.length);
	executed.eflags |= 0x10000; /* as after a fault */
	cr_assert(rfs_insn_write(&insn, regs->rip, &executed, &memory) == 0, "%s", text);
	cr_assert(executed.eflags == (result.regs.eflags & ~0x10000ull), "%s on %lx and %llx: flags %llx, not %llx",
		  text, value, regs->rax, executed.eflags, result.regs.eflags);
	executed.eflags = result.regs.eflags;
	cr_assert(!memcmp(&executed, &result.regs, sizeof(executed)), "%s: registers differ", text);
	for (unsigned area = 0; area < AREAS; area++)
		cr_assert(!memcmp(pages[area], b->machine.page[area], PAGE), "%s: memory differs", text);
}

static const uint64_t values[] = {
	0,	    1,	       0xf,	   0x10,       0x7f,
	0x80,	    0xff,      0x7fff,	   0x8000,     0x7fffffff,
	0x80000000, INT64_MAX, 1ull << 63, UINT64_MAX, 0x123456789abcdef0,
};

/* The same instruction of 1, 2, 4 and 8 bytes. opcode: of the form with 1 byte. */
static void compare_widths(struct bench *b, uint8_t opcode, uint8_t modrm, const struct user_regs_struct *regs,
			   uint64_t value)
{
	const uint8_t one[] = {opcode, modrm}, two[] = {0x66, opcode | 1, modrm}, four[] = {opcode | 1, modrm},
		      eight[] = {0x48, opcode | 1, modrm};

	compare(b, one, sizeof(one), regs, value);
	compare(b, two, sizeof(two), regs, value);
	compare(b, four, sizeof(four), regs, value);
	compare(b, eight, sizeof(eight), regs, value);
}

Test(write, arithmetic_and_its_flags)
{
	static const uint8_t opcodes[] = {0x00 /* add */, 0x08 /* or */, 0x20 /* and */, 0x28 /* sub */,
					  0x30 /* xor */};
	static const uint8_t alone[][2] = {
		{0xfe, 0x06} /* inc */, {0xfe, 0x0e} /* dec */, {0xf6, 0x16} /* not */, {0xf6, 0x1e} /* neg */};
	struct bench *b = bench_new();
	struct user_regs_struct regs = registers();

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		for (size_t k = 0; k < 2 * sizeof(values) / sizeof(*values); k++) {
			regs.rax = values[k / 2];
			regs.eflags = k & 1 ? 0x202 : 0xad7; /* none, or CF, PF, AF, ZF, SF and OF */
			for (size_t op = 0; op < sizeof(opcodes); op++)
				compare_widths(b, opcodes[op], 0x06, &regs, values[i]);
			for (size_t op = 0; op < sizeof(alone) / sizeof(*alone) && k < 2; op++)
				compare_widths(b, alone[op][0], alone[op][1], &regs, values[i]);
		}
	}
	bench_free(b);
}

Test(write, each_form)
{
	static const struct {
		uint8_t n, code[12];
	} rows[] = {
		{2, {0x88, 0x26}},				 /* mov %ah,(%rsi) */
		{3, {0x44, 0x88, 0x0e}},			 /* mov %r9b,(%rsi) */
		{3, {0x66, 0x89, 0x16}},			 /* mov %dx,(%rsi) */
		{6, {0x89, 0x15, 0xfa, 0x0f, 0, 0}},		 /* mov %edx,data(%rip) */
		{5, {0x4c, 0x89, 0x4c, 0xce, 0x10}},		 /* mov %r9,16(%rsi,%rcx,8) */
		{5, {0x48, 0x89, 0x54, 0x24, 0xf8}},		 /* mov %rdx,-8(%rsp) */
		{4, {0xc6, 0x46, 0x03, 0x7f}},			 /* movb $127,3(%rsi) */
		{5, {0x66, 0xc7, 0x06, 0x34, 0x12}},		 /* movw $0x1234,(%rsi) */
		{7, {0x48, 0xc7, 0x06, 0xfe, 0xff, 0xff, 0xff}}, /* movq $-2,(%rsi) */
		{3, {0x83, 0x06, 0xff}},			 /* addl $-1,(%rsi) */
		{6, {0x81, 0x2e, 0x00, 0x01, 0x00, 0x00}},	 /* subl $256,(%rsi) */
		{5, {0x66, 0x81, 0x36, 0xff, 0x7f}},		 /* xorw $0x7fff,(%rsi) */
		{4, {0xf0, 0x83, 0x0e, 0x20}},			 /* lock orl $32,(%rsi) */
		{4, {0xf0, 0x48, 0xff, 0x06}},			 /* lock incq (%rsi) */
		{1, {0x52}},					 /* push %rdx */
		{1, {0x54}},					 /* push %rsp: its value before */
		{2, {0x41, 0x51}},				 /* push %r9 */
		{2, {0x6a, 0xfe}},				 /* push $-2 */
		{5, {0x68, 0x78, 0x56, 0x34, 0x92}},		 /* push $-0x6dcba988 */
		{5, {0xe8, 0x00, 0x01, 0x00, 0x00}},		 /* call */
	};
	struct bench *b = bench_new();
	struct user_regs_struct regs = registers();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		compare(b, rows[i].code, rows[i].n, &regs, 0x4142434445464748);
	bench_free(b);
}

static int write_refuses(void *arg, rfs_addr address, const void *buf, size_t n)
{
	(void)arg, (void)address, (void)buf, (void)n;
	return -EFAULT;
}

static int write_reads_zero(void *arg, rfs_addr address, void *buf, size_t n)
{
	(void)arg, (void)address;
	memset(buf, 0, n);
	return 0;
}

Test(write, refused_memory_changes_nothing)
{
	static const uint8_t rows[][4] = {{0x01, 0x06}, {0x88, 0x16}, {0x50}, {0x6a, 1}, {0xff, 0xd0}};
	const struct rfs_memory memory = {write_reads_zero, write_refuses, NULL};
	struct rfs_decoder *decoder;
	struct rfs_insn insn;

	cr_assert(rfs_decoder_new(&decoder) == 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct user_regs_struct regs = {.rip = 0x1000, .rsp = 0x2000, .rsi = 0x3000}, before = regs;

		cr_assert(rfs_insn_decode(decoder, rows[i], sizeof(rows[i]), 0x1000, &insn) == 0);
		cr_assert(rfs_insn_write(&insn, 0x1000, &regs, &memory) == -EFAULT, "row %zu", i);
		cr_assert(!memcmp(&regs, &before, sizeof(regs)), "row %zu", i);
	}
	rfs_decoder_free(decoder);
}

/* What writes nothing, changes another register, or is not known here. */
Test(write, refuses_others)
{
	static const uint8_t rows[][6] = {
		{0x90},			  /* nop */
		{0x0f, 0x05},		  /* syscall */
		{0x89, 0xc8},		  /* mov between registers */
		{0x8b, 0x06},		  /* mov (%rsi),%eax */
		{0x39, 0x06},		  /* cmp %eax,(%rsi) */
		{0x11, 0x06},		  /* adc %eax,(%rsi) */
		{0x83, 0x1e, 1},	  /* sbbl $1,(%rsi) */
		{0x87, 0x06},		  /* xchg */
		{0xf0, 0x0f, 0xc1, 0x06}, /* lock xadd */
		{0x0f, 0xb1, 0x0e},	  /* cmpxchg */
		{0x0f, 0xab, 0x06},	  /* bts */
		{0xd1, 0x26},		  /* shll (%rsi) */
		{0x0f, 0x94, 0x06},	  /* sete (%rsi) */
		{0x0f, 0x11, 0x06},	  /* movups */
		{0xc5, 0xf8, 0x11, 0x06}, /* vmovups */
		{0xaa},			  /* stos */
		{0x8f, 0x06},		  /* pop (%rsi) */
		{0xff, 0x36},		  /* push (%rsi) */
		{0x66, 0x50},		  /* push %ax */
		{0x9c},			  /* pushf */
		{0xc3},			  /* ret */
	};
	const struct rfs_memory memory = {write_reads_zero, write_refuses, NULL};
	struct user_regs_struct regs = {0};
	struct rfs_decoder *decoder;
	struct rfs_insn insn;

	cr_assert(rfs_decoder_new(&decoder) == 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		cr_assert(rfs_insn_decode(decoder, rows[i], sizeof(rows[i]), 0x1000, &insn) == 0, "row %zu", i);
		cr_assert(rfs_insn_write(&insn, 0x1000, &regs, &memory) == -EINVAL, "row %zu", i);
	}
	rfs_decoder_free(decoder);
}
