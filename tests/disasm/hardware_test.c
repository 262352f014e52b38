/*
 * hardware_test.c - compares what rfs_insn_accesses() says about an instruction with what the CPU does, for every form
 * in forms.s. It also compares copies of instructions with their originals.
 *
 * For each form, with its operands at all the places that machine.h offers:
 *   - The access starts and ends exactly where rfs_insn_accesses() says. An access up to a guard page succeeds. An
 *     access that reaches one step further (one byte, or the required alignment) faults in the guard page.
 *   - Read-only memory faults if and only if the form is said to write. Inaccessible memory faults if and only if it is
 *     said to access.
 *   - The outcome depends on no byte that is not said to be read. No byte changes that is not said to be written.
 *   - If a byte is said to be read and written, the result depends on its old value.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/insn/insn.h"
#include "forms.h"
#include "machine.h"

#define MIDDLE (PAGE / 2)

TestSuite(hardware, .timeout = 120);

/* What one form accesses in one area, relative to the area's base register. */
struct span {
	int64_t low, high; /* [low, high); empty if the form does not access this area */
	unsigned flags;
};

struct bench {
	struct machine machine;
	struct rfs_decoder *decoder;
	const struct form *form;
	struct rfs_insn insn;
	struct rfs_insn_access accesses[RFS_INSN_ACCESSES];
	int n;
	struct span span[AREAS];
	uint8_t is_read[AREAS][PAGE], is_written[AREAS][PAGE]; /* claimed for the run with all bases in the middle */
	unsigned failed, skipped, checked;
};

static void complain(struct bench *b, const char *what, long long value)
{
	fprintf(stderr, "%s: %s (%lld)\n", b->form->text, what, value);
	b->failed++;
}

static bool has(const struct form *form, const char *part)
{
	return strstr(form->text, part) != NULL;
}

/* Forms that load control state. Arbitrary bytes would fault, or change what later instructions do. */
static bool loads_control(const struct form *form)
{
	return has(form, "0x100(%rdi)") || has(form, "popf");
}

/* Forms that leave parts of their destination unchanged, or store the address of the instruction. */
static bool saves_state(const struct form *form)
{
	return has(form, "save") || has(form, "fnstenv");
}

/*
 * Forms that may fault on memory that they do not access:
 * - byte-masked stores, at masked-off bytes: implementation-specific (SDM vol. 2, MASKMOVDQU);
 * - the vextract forms, at masked-off elements: their exception type E6NF does not suppress faults.
 * maskmovq is not here, because no query returns its mask register.
 */
static bool faults_wider(const struct bench *b)
{
	return b->insn.shape == RFS_SHAPE_MASKED && (has(b->form, "maskmovdqu") || has(b->form, "vextract"));
}

static struct user_regs_struct registers(const rfs_addr *base)
{
	struct user_regs_struct regs;

	memset(&regs, 0, sizeof(regs));
	regs.cs = 0x33; /* the values of __USER_CS and __USER_DS in Linux */
	regs.ss = 0x2b;
	regs.orig_rax = (unsigned long long)-1;
	regs.eflags = 0x202;
	regs.rip = machine_place(PLACE_HOME);
	regs.rax = 7;
	regs.rcx = 3;
	regs.r8 = 5;
	regs.r9 = 200;
	regs.r10 = (unsigned long long)-300;
	regs.r13 = 0x123456789abcdef0;
	regs.r14 = 0x7766554433221100;
	regs.rsi = regs.rbx = base[AREA_RSI];
	regs.rdi = base[AREA_RDI];
	regs.rsp = base[AREA_STACK];
	regs.rbp = base[AREA_STACK] + 64;
	regs.fs_base = 0x2000;
	regs.gs_base = 0x1000;
	return regs;
}

static void neutral(rfs_addr *base)
{
	for (unsigned area = 0; area < AREAS; area++)
		base[area] = machine_page(area, VIEW_WRITABLE) + MIDDLE;
}

/* Bytes from 1 to 63. They make small positive numbers in every format, and no zero divisor. */
static uint8_t fill_byte(unsigned area, unsigned i, unsigned salt)
{
	return (uint8_t)(1 + ((i * 29 + area * 13 + (i >> 5) * 7 + salt * 31) % 63));
}

static void fill(struct bench *b)
{
	static const uint8_t control[] = {0x80, 0x1f, 0, 0}, flags[] = {0x02, 0x02};

	for (unsigned area = 0; area < AREAS; area++)
		for (unsigned i = 0; i < PAGE; i++)
			b->machine.page[area][i] = fill_byte(area, i, 0);
	if (!loads_control(b->form))
		return;
	for (unsigned i = 0; i < PAGE; i++) {
		b->machine.page[AREA_RDI][i] = control[i % sizeof(control)];
		b->machine.page[AREA_STACK][i] = flags[i % sizeof(flags)];
	}
}

static void run(struct bench *b, const struct user_regs_struct *regs, struct result *result)
{
	machine_run(&b->machine, PLACE_HOME, b->form->start, (size_t)(b->form->end - b->form->start), regs, result);
}

static bool find_area(rfs_addr address, unsigned *area)
{
	for (*area = 0; *area < AREAS; ++*area)
		if (address >= machine_page(*area, VIEW_WRITABLE) - PAGE &&
		    address < machine_page(*area, VIEW_WRITABLE) + 2 * PAGE)
			return true;
	return false;
}

static void mark(struct bench *b, unsigned area, const struct rfs_insn_access *access)
{
	uint64_t first = access->address - machine_page(area, VIEW_WRITABLE);

	for (uint64_t i = first; i < first + access->size && i < PAGE; i++) {
		b->is_read[area][i] |= access->flags & RFS_MEM_READ;
		b->is_written[area][i] |= access->flags & RFS_MEM_WRITE;
	}
}

/* Puts what rfs_insn_accesses() claims into span, is_read and is_written. False if an access is in no area. */
static bool claim(struct bench *b, const struct user_regs_struct *regs, const rfs_addr *base)
{
	struct rfs_machine state = {regs, machine_vector, machine_read, &b->machine};

	memset(b->span, 0, sizeof(b->span));
	memset(b->is_read, 0, sizeof(b->is_read));
	memset(b->is_written, 0, sizeof(b->is_written));
	b->n = rfs_insn_accesses(&b->insn, 0, &state, b->accesses);
	if (b->n < 0) {
		complain(b, "rfs_insn_accesses fails", b->n);
		return false;
	}
	for (int i = 0; i < b->n; i++) {
		const struct rfs_insn_access *access = &b->accesses[i];
		struct span *span;
		int64_t low;
		unsigned area;

		if (!find_area(access->address, &area)) {
			complain(b, "claims an access outside of all operands", (long long)access->address);
			return false;
		}
		span = &b->span[area];
		low = (int64_t)(access->address - base[area]);
		if (!span->flags || low < span->low)
			span->low = low;
		if (!span->flags || low + (int64_t)access->size > span->high)
			span->high = low + (int64_t)access->size;
		span->flags |= access->flags;
		mark(b, area, access);
	}
	return true;
}

/* Runs the form with the base of one area at `base`. All other bases stay in the middle of their areas. */
static enum outcome run_at(struct bench *b, unsigned area, rfs_addr base, rfs_addr *fault)
{
	struct user_regs_struct regs;
	rfs_addr bases[AREAS];
	struct result result;

	neutral(bases);
	bases[area] = base;
	fill(b);
	regs = registers(bases);
	run(b, &regs, &result);
	*fault = result.address;
	return result.outcome;
}

/*
 * With direction 1, tests the claimed end against the guard page behind the area. With -1, tests the claimed start
 * against the guard page in front.
 */
static void check_edge(struct bench *b, unsigned area, int direction)
{
	rfs_addr page = machine_page(area, VIEW_WRITABLE), edge = direction > 0 ? page + PAGE : page, fault = 0;
	rfs_addr base = edge - (rfs_addr)(direction > 0 ? b->span[area].high : b->span[area].low);
	enum outcome outcome;

	outcome = run_at(b, area, base, &fault);
	if (outcome == GP_FAULT && b->insn.shape == RFS_SHAPE_MASKED)
		return; /* needs an alignment that its active elements do not have */
	if (outcome != DONE) {
		complain(b, direction > 0 ? "goes on behind its claimed end" : "starts before its claimed start",
			 outcome);
		return;
	}
	for (int64_t step = 1; step <= 64; step *= 2) {
		outcome = run_at(b, area, base + (rfs_addr)(direction * step), &fault);
		if (outcome == GP_FAULT)
			continue; /* needs alignment */
		if (outcome != FAULT)
			complain(b, direction > 0 ? "ends before its claimed end" : "starts behind its claimed start",
				 step);
		else if (direction > 0 ? fault < edge || fault >= edge + PAGE : fault < edge - PAGE || fault >= edge)
			complain(b, "faults elsewhere", (long long)fault);
		return;
	}
	complain(b, "has no alignment that lets it run", direction);
}

static void check_area(struct bench *b, unsigned area)
{
	const struct span *span = &b->span[area];
	enum outcome outcome;
	rfs_addr fault;

	outcome = run_at(b, area, machine_page(area, VIEW_NONE) + MIDDLE, &fault);
	if (outcome != (span->flags ? FAULT : DONE))
		complain(b, span->flags ? "claims an access that is none" : "accesses what is not claimed", area);
	if (!span->flags)
		return;
	outcome = run_at(b, area, machine_page(area, VIEW_READABLE) + MIDDLE, &fault);
	if (outcome != (span->flags & RFS_MEM_WRITE ? FAULT : DONE))
		complain(b, span->flags & RFS_MEM_WRITE ? "claims a write that is none" : "writes unclaimed", area);
	check_edge(b, area, 1);
	check_edge(b, area, -1);
}

/* Whether the claimed bytes equal those in `after`. *kept: whether all other bytes equal those in `before`. */
static bool same_written(struct bench *b, uint8_t (*before)[PAGE], uint8_t (*after)[PAGE], bool *kept)
{
	bool same = true;

	*kept = true;
	for (unsigned area = 0; area < AREAS; area++) {
		for (unsigned i = 0; i < PAGE; i++) {
			if (b->is_written[area][i])
				same &= after[area][i] == b->machine.page[area][i];
			else
				*kept &= before[area][i] == b->machine.page[area][i];
		}
	}
	return same;
}

static bool same_state(const struct result *a, const struct result *b)
{
	return !memcmp(&a->regs, &b->regs, sizeof(a->regs)) && !memcmp(a->xstate, b->xstate, sizeof(a->xstate));
}

static void copy_pages(struct bench *b, uint8_t (*out)[PAGE])
{
	for (unsigned area = 0; area < AREAS; area++)
		memcpy(out[area], b->machine.page[area], PAGE);
}

/* Like fill(), but gives other values to the bytes that the form claims to read (`read`), or to all others. */
static void fill_where(struct bench *b, bool read, unsigned salt)
{
	fill(b);
	for (unsigned area = 0; area < AREAS; area++)
		for (unsigned i = 0; i < PAGE; i++)
			if (!!b->is_read[area][i] == read)
				b->machine.page[area][i] = fill_byte(area, i, salt);
}

/*
 * Checks that the outcome depends on exactly the claimed bytes. `first` is the result of the run on memory from fill();
 * the memory is still as that run left it.
 */
static void check_content(struct bench *b, const struct user_regs_struct *regs, const struct result *first)
{
	static uint8_t after[AREAS][PAGE], before[AREAS][PAGE];
	struct result second;
	bool kept, same, both = false;

	copy_pages(b, after);
	fill(b);
	copy_pages(b, before);
	for (unsigned area = 0; area < AREAS; area++)
		memcpy(b->machine.page[area], after[area], PAGE);
	same_written(b, before, after, &kept);
	if (!kept)
		complain(b, "writes bytes that are not claimed", 0);

	fill_where(b, false, 1);
	copy_pages(b, before);
	run(b, regs, &second);
	same = same_written(b, before, after, &kept) && same_state(first, &second);
	if (second.outcome != DONE || !kept)
		complain(b, "writes bytes that are not claimed, or fails", second.outcome);
	if (!same)
		complain(b, "depends on bytes that are not claimed as read", 0);

	for (int i = 0; i < b->n; i++)
		both |= b->accesses[i].flags == (RFS_MEM_READ | RFS_MEM_WRITE);
	for (unsigned salt = 1; both && same && salt < 8; salt++) {
		fill_where(b, true, salt);
		copy_pages(b, before);
		run(b, regs, &second);
		same = same_written(b, before, after, &kept) && same_state(first, &second);
	}
	if (both && same)
		complain(b, "does not depend on the old value", 0);
}

/* Decodes the form and runs it with all bases in the middle. False if the CPU lacks it or a complaint was made. */
static bool prepare(struct bench *b, unsigned long long flags, struct user_regs_struct *regs, struct result *result)
{
	size_t n = (size_t)(b->form->end - b->form->start);
	rfs_addr base[AREAS];

	neutral(base);
	*regs = registers(base);
	regs->eflags |= flags;
	fill(b);
	run(b, regs, result);
	if (result->outcome == UNDEFINED) {
		b->skipped++;
		return false;
	}
	if (result->outcome != DONE || result->regs.rip != regs->rip + n + 1) {
		complain(b, "does not run", result->outcome);
		return false;
	}
	if (rfs_insn_decode(b->decoder, b->form->start, n, regs->rip, &b->insn)) {
		complain(b, "does not decode", 0);
		return false;
	}
	if (b->insn.length != n) {
		complain(b, "has another length", b->insn.length);
		return false;
	}
	fill(b); /* claim() reads memory for string comparisons, so it needs memory from before the run */
	if (!claim(b, regs, base))
		return false;
	run(b, regs, result);
	return true;
}

static void check_form(struct bench *b, unsigned long long flags)
{
	struct user_regs_struct regs;
	struct result result;

	if (!prepare(b, flags, &regs, &result))
		return;
	b->checked++;
	if (!loads_control(b->form) && !saves_state(b->form) && !has(b->form, "maskmovq"))
		check_content(b, &regs, &result);
	if (flags || faults_wider(b) || has(b->form, "movabs")) /* test the edges only with DF clear */
		return;
	for (unsigned area = 0; area < AREA_CODE; area++)
		check_area(b, area);
}

Test(hardware, accesses)
{
	struct bench *b = calloc(1, sizeof(*b));

	machine_start(&b->machine);
	cr_assert(rfs_decoder_new(&b->decoder) == 0);
	for (b->form = rfs_forms_start; b->form < rfs_forms_end; b->form++) {
		check_form(b, 0);
		if (has(b->form, "movs") || has(b->form, "stos") || has(b->form, "lods") || has(b->form, "scas") ||
		    has(b->form, "cmps"))
			check_form(b, 0x400); /* direction flag */
	}
	fprintf(stderr, "hardware: %u forms agree or are told above, %u skipped that this CPU lacks\n", b->checked,
		b->skipped);
	cr_assert(b->failed == 0, "%u complaints", b->failed);
	cr_assert(b->checked > 1000);
	rfs_decoder_free(b->decoder);
	machine_stop(&b->machine);
	free(b);
}

/* Clears the fields with the address of the last x87 instruction, which differs in every copy. */
static void forget_x87_pointers(struct result *result)
{
	memset(result->xstate + 6, 0, 18);
}

static void check_copy(struct bench *b, enum place place)
{
	static uint8_t expected[AREAS][PAGE];
	struct user_regs_struct regs;
	struct result original, moved;
	uint8_t code[RFS_COPY_MAX];
	size_t length, total;

	if (!prepare(b, 0, &regs, &original))
		return;
	if (rfs_insn_copy(&b->insn, regs.rip, machine_place(place), code, &length, &total) != RFS_COPY_OK) {
		complain(b, "cannot be copied", place);
		return;
	}
	copy_pages(b, expected);
	fill(b);
	regs.rip = machine_place(place);
	machine_run(&b->machine, place, code, total, &regs, &moved);
	forget_x87_pointers(&original);
	forget_x87_pointers(&moved);
	if (moved.outcome != DONE || !same_state(&original, &moved))
		complain(b, "does something else as a copy", place);
	for (unsigned area = 0; area < AREAS && !saves_state(b->form); area++)
		if (memcmp(expected[area], b->machine.page[area], PAGE) != 0)
			complain(b, "writes something else as a copy", area);
	b->checked++;
}

Test(hardware, copies)
{
	struct bench *b = calloc(1, sizeof(*b));

	machine_start(&b->machine);
	cr_assert(rfs_decoder_new(&b->decoder) == 0);
	for (b->form = rfs_forms_start; b->form < rfs_forms_end; b->form++) {
		check_copy(b, PLACE_NEAR);
		if (has(b->form, "rip"))
			check_copy(b, PLACE_FAR);
	}
	cr_assert(b->failed == 0, "%u complaints", b->failed);
	cr_assert(b->checked > 1000);
	rfs_decoder_free(b->decoder);
	machine_stop(&b->machine);
	free(b);
}
