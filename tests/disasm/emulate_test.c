/*
 * emulate_test.c - compares rfs_insn_emulate() with the CPU: every condition under every combination of flags, loops,
 * calls, returns, indirect jumps and calls, and their prefixes.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/insn/insn.h"
#include "machine.h"

TestSuite(emulate, .timeout = 60);

#define AT 512 /* the offset of instructions in the code page, with room on both sides for jump targets */

struct bench {
	struct machine machine;
	struct rfs_decoder *decoder;
	rfs_addr at;
};

static struct bench *bench_new(void)
{
	struct bench *b = calloc(1, sizeof(*b));

	machine_start(&b->machine);
	cr_assert(rfs_decoder_new(&b->decoder) == 0);
	b->at = (machine_place(PLACE_HOME) & ~(rfs_addr)(PAGE - 1)) + AT;
	return b;
}

static void bench_free(struct bench *b)
{
	rfs_decoder_free(b->decoder);
	machine_stop(&b->machine);
	free(b);
}

static struct user_regs_struct registers(const struct bench *b)
{
	return (struct user_regs_struct){
		.cs = 0x33,
		.ss = 0x2b,
		.orig_rax = (unsigned long long)-1,
		.eflags = 0x202,
		.rip = b->at,
		.rcx = 2,
		.rax = b->at + 0x80,
		.r11 = b->at - 0x60,
		.rsi = machine_page(AREA_RSI, VIEW_WRITABLE) + 256,
		.rdx = 4,
		.rsp = machine_page(AREA_STACK, VIEW_WRITABLE) + 1024,
	};
}

/* Fills all pages with addresses in the code page, so that indirect jumps and returns lead back there. */
static void fill_pages(struct bench *b)
{
	for (unsigned area = 0; area < AREAS; area++) {
		for (unsigned i = 0; i < PAGE; i += 8) {
			uint64_t target = b->at + 0x20 + i % 0x100;

			memcpy(b->machine.page[area] + i, &target, sizeof(target));
		}
	}
}

/*
 * Runs code on the CPU and emulates it from the same state. Registers and stack must be the same afterwards. The code
 * is decoded as if it were `bias` bytes lower than where it is emulated.
 */
static void compare(struct bench *b, const uint8_t *code, size_t n, const struct user_regs_struct *regs, uint64_t bias)
{
	static uint8_t stack[PAGE];
	const struct rfs_memory memory = {machine_read, machine_write, &b->machine};
	struct user_regs_struct emulated = *regs;
	struct rfs_insn insn;
	struct result result;
	char text[64] = "";

	for (size_t i = 0; i < n; i++)
		snprintf(text + 3 * i, 4, "%02x ", code[i]);
	memset(b->machine.code[PLACE_HOME], 0xcc, PAGE);
	fill_pages(b);
	machine_run(&b->machine, PLACE_HOME, code, n, regs, &result);
	cr_assert(result.outcome == DONE, "%s: outcome %d", text, result.outcome);
	result.regs.rip--; /* the int3 after the jump has already run */
	memcpy(stack, b->machine.page[AREA_STACK], PAGE);

	fill_pages(b);
	cr_assert(rfs_insn_decode(b->decoder, code, n, b->at - bias, &insn) == 0, "%s", text);
	cr_assert(insn.length == n, "%s: length %d", text, insn.length);
	cr_assert(rfs_insn_emulate(&insn, b->at, &emulated, &memory) == 0, "%s", text);
	cr_assert(emulated.rip == result.regs.rip, "%s flags %llx: %llx, not %llx", text, regs->eflags, emulated.rip,
		  result.regs.rip);
	emulated.eflags = result.regs.eflags; /* the kernel may set the resume flag (RF) in eflags */
	cr_assert(!memcmp(&emulated, &result.regs, sizeof(emulated)), "%s: registers differ", text);
	cr_assert(!memcmp(stack, b->machine.page[AREA_STACK], PAGE), "%s: stacks differ", text);
}

/* Combination i of the flags that conditions test: CF, PF, ZF, SF and OF. */
static unsigned long long flags_of(unsigned i)
{
	static const unsigned flags[] = {0x1, 0x4, 0x40, 0x80, 0x800};
	unsigned long long result = 0x202;

	for (unsigned bit = 0; bit < 5; bit++)
		if (i >> bit & 1)
			result |= flags[bit];
	return result;
}

Test(emulate, conditions)
{
	struct bench *b = bench_new();

	for (unsigned condition = 0; condition < 16; condition++) {
		for (unsigned i = 0; i < 32; i++) {
			const uint8_t near[] = {0x0f, 0x80 + condition, 0x40, 0, 0, 0},
				      back[] = {0x70 + condition, 0xc0};
			const uint8_t bnd[] = {0xf2, 0x70 + condition, 0x10},
				      hint[] = {0x3e, 0x0f, 0x80 + condition, 8, 0, 0, 0};
			struct user_regs_struct regs = registers(b);

			regs.eflags = flags_of(i);
			compare(b, near, sizeof(near), &regs, 0);
			compare(b, back, sizeof(back), &regs, 0x1000);
			compare(b, bnd, sizeof(bnd), &regs, 0);
			compare(b, hint, sizeof(hint), &regs, 0);
		}
	}
	bench_free(b);
}

Test(emulate, counted_branches)
{
	static const uint64_t counts[] = {0, 1, 2, 0x100000000, 0x100000001, UINT64_MAX};
	struct bench *b = bench_new();

	for (unsigned opcode = 0xe0; opcode <= 0xe3; opcode++) {
		for (unsigned i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
			for (unsigned zero = 0; zero < 2; zero++) {
				const uint8_t wide[] = {opcode, 0x10}, narrow[] = {0x67, opcode, 0xe0};
				struct user_regs_struct regs = registers(b);

				regs.rcx = counts[i];
				regs.eflags |= zero ? 0x40 : 0;
				compare(b, wide, sizeof(wide), &regs, 0);
				compare(b, narrow, sizeof(narrow), &regs, 0);
			}
		}
	}
	bench_free(b);
}

Test(emulate, calls_jumps_and_returns)
{
	static const struct {
		uint8_t n, code[10];
	} rows[] = {
		{5, {0xe8, 0x40, 0, 0, 0}},		/* call */
		{5, {0xe8, 0x80, 0xff, 0xff, 0xff}},	/* call backwards */
		{6, {0x67, 0xe8, 0x40, 0, 0, 0}},	/* padded, as linkers do it */
		{7, {0x66, 0x48, 0xe8, 0x40, 0, 0, 0}}, /* the call in a general dynamic TLS sequence */
		{6, {0xf2, 0xe8, 0x40, 0, 0, 0}},	/* bnd call */
		{2, {0xeb, 0x40}},			/* jmp */
		{5, {0xe9, 0x40, 0, 0, 0}},
		{6, {0xf2, 0xe9, 0x40, 0, 0, 0}},
		{2, {0xff, 0xd0}},		     /* call *%rax */
		{3, {0x41, 0xff, 0xd3}},	     /* call *%r11 */
		{3, {0x3e, 0xff, 0xd0}},	     /* notrack call */
		{2, {0xff, 0xe0}},		     /* jmp *%rax */
		{4, {0x3e, 0x41, 0xff, 0xe3}},	     /* notrack jmp *%r11 */
		{3, {0xf2, 0xff, 0xe0}},	     /* bnd jmp *%rax */
		{2, {0xff, 0x16}},		     /* call *(%rsi) */
		{3, {0xff, 0x66, 0x10}},	     /* jmp *16(%rsi) */
		{3, {0xff, 0x24, 0xd6}},	     /* jmp *(%rsi,%rdx,8) */
		{4, {0x3e, 0xff, 0x24, 0xd6}},	     /* notrack jmp *(%rsi,%rdx,8), as compilers make for switches */
		{4, {0xff, 0x54, 0x24, 0x08}},	     /* call *8(%rsp): the address is read before the push */
		{3, {0xff, 0x24, 0x24}},	     /* jmp *(%rsp) */
		{6, {0xff, 0x15, 0xfa, 0x0f, 0, 0}}, /* call *slot(%rip) */
		{6, {0xff, 0x25, 0x02, 0x10, 0, 0}},
		{7, {0xf2, 0xff, 0x25, 0x01, 0x10, 0, 0}},
		{8, {0x66, 0x48, 0xff, 0x15, 0x00, 0x10, 0, 0}}, /* TLS call with -fno-plt */
		{1, {0xc3}},
		{2, {0xf3, 0xc3}}, /* repz ret */
		{2, {0xf2, 0xc3}}, /* bnd ret */
		{3, {0xc2, 0x08, 0x00}},
		{3, {0xc2, 0x00, 0x01}},
	};
	struct bench *b = bench_new();
	struct user_regs_struct regs = registers(b);

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		compare(b, rows[i].code, rows[i].n, &regs, 0);
		compare(b, rows[i].code, rows[i].n, &regs, 0x555000);
	}
	bench_free(b);
}

static int refuse_read(void *arg, rfs_addr address, void *buf, size_t n)
{
	(void)arg, (void)address, (void)buf, (void)n;
	return -EFAULT;
}

static int refuse_write(void *arg, rfs_addr address, const void *buf, size_t n)
{
	(void)arg, (void)address, (void)buf, (void)n;
	return -EFAULT;
}

Test(emulate, unmapped_memory_changes_nothing)
{
	static const uint8_t rows[][4] = {{0xc3}, {0xff, 0x16}, {0xff, 0x26}, {0xff, 0xd0}, {0xc2, 8, 0}};
	const struct rfs_memory memory = {refuse_read, refuse_write, NULL};
	struct rfs_decoder *decoder;
	struct rfs_insn insn;

	cr_assert(rfs_decoder_new(&decoder) == 0);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct user_regs_struct regs = {.rip = 0x1000, .rsp = 0x2000, .rsi = 0x3000}, before = regs;

		cr_assert(rfs_insn_decode(decoder, rows[i], sizeof(rows[i]), 0x1000, &insn) == 0);
		cr_assert(rfs_insn_emulate(&insn, 0x1000, &regs, &memory) == -EFAULT);
		cr_assert(!memcmp(&regs, &before, sizeof(regs)));
	}
	rfs_decoder_free(decoder);
}

Test(emulate, refuses_what_is_no_transfer)
{
	static const uint8_t rows[][3] = {{0x90}, {0x0f, 0x05}, {0xcc}, {0x0f, 0x0b}, {0x48, 0x89, 0xc8}};
	const struct rfs_memory memory = {refuse_read, refuse_write, NULL};
	struct user_regs_struct regs = {0};
	struct rfs_decoder *decoder;
	struct rfs_insn insn;

	cr_assert(rfs_decoder_new(&decoder) == 0);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		cr_assert(rfs_insn_decode(decoder, rows[i], sizeof(rows[i]), 0x1000, &insn) == 0);
		cr_assert(rfs_insn_emulate(&insn, 0x1000, &regs, &memory) == -EINVAL);
	}
	rfs_decoder_free(decoder);
}
