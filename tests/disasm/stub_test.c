/*
 * stub_test.c - stubs on the real CPU. Their results must be those of the original instructions, and their records must
 * be what rfs_insn_accesses() returns. Execution can leave and enter them at each of their instructions.
 */
#include <criterion/criterion.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "disasm/rewrite/stub.h"
#include "machine.h"

TestSuite(stub, .timeout = 600);

/*
 * Groups. They are copied to PLACE_HOME to run, so direct jumps and RIP-relative operands count from there. rbx points
 * to readable and writable data. Targets of jumps must be in the code page, which is full of int3.
 */
#define GROUP(name, text)                                                                                              \
	__asm__(".pushsection .rodata\n" #name "_start:\n" text "\n" #name "_end:\n.popsection");                      \
	extern const uint8_t name##_start[], name##_end[]

GROUP(one_load, "mov 0x18(%rbx),%rax");
GROUP(load_store, "mov (%rbx),%ecx; lea 4(%rcx),%edx; mov %edx,8(%rbx)");
GROUP(flags_live, "cmp $5,%eax; mov 4(%rbx),%edx; sbb %ecx,%ecx; movb $1,(%rbx)");
GROUP(chain, "mov 0x40(%rbx),%rdx; mov 8(%rdx),%rdx; mov 16(%rdx),%eax; add %eax,(%rdx)");
GROUP(read_modify_write, "addl $1,(%rbx); incq 8(%rbx); xorw %ax,20(%rbx)");
GROUP(on_rsp, "mov %rax,-0x80(%rsp); mov -0x78(%rsp),%rcx; addl $3,(%rsp)");
GROUP(indexed, "mov (%rbx,%rsi,4),%eax; mov %eax,0x20(%rbx,%rsi,8); movzbl 3(%rbx,%rsi),%ecx");
GROUP(no_base, "mov 0x60001040(,%rsi,2),%eax; mov 0x60001080,%ecx");
GROUP(rip_relative, "mov 0x1010(%rip),%eax; addl $0x12345678,0x1020(%rip); lea 0x1000(%rip),%rdx");
GROUP(extended, "mov (%rbx),%r11; mov 8(%rbx),%r10; mov %r9,16(%rbx); mov 24(%rbx),%r8; mov %r11,32(%rbx)");
GROUP(all_extended,
      "mov (%rbx),%r8; mov (%rbx),%r9; mov (%rbx),%r10; mov (%rbx),%r11; mov (%rbx),%r12; mov (%rbx),%r13;"
      "mov (%rbx),%r14; mov (%rbx),%r15; mov %r12,8(%rbx); mov %r13,16(%rbx)");
GROUP(twelve_thirteen,
      "mov (%r12),%rax; mov (%r13),%rcx; mov 8(%r13,%rsi,1),%al; mov (%r12,%rsi,2),%cl; mov %r8,(%r13)");
GROUP(addr32, "mov 8(%ebx),%eax; mov %eax,(%ebx,%esi,4)");
GROUP(vectors, "movups (%rbx),%xmm0; movups %xmm0,32(%rbx); movss 4(%rbx),%xmm9; addps 16(%rbx),%xmm0");
GROUP(strings, "lea 0x80(%rbx),%rsi; lea 0x90(%rbx),%rdi; movsb; stosl; lodsl; cmpsb; scasb");
GROUP(pushes, "push 8(%rbx); pop 16(%rbx); push %rax; pop %rcx");
GROUP(branch_taken, "cmpl $-1,(%rbx); jne . + 0x40");
GROUP(branch_not_taken, "cmpl $-1,(%rbx); je . + 0x40");
GROUP(branches_not_taken, "cmpl $-1,(%rbx); je . + 0x40; mov 4(%rbx),%ecx; sete 8(%rbx); je . + 0x30; setne 9(%rbx)");
GROUP(branch_in_the_middle, "cmpl $-1,(%rbx); mov 4(%rbx),%ecx; jne . + 0x40; mov 8(%rbx),%edx; incl (%rbx)");
GROUP(jump, "movl $7,(%rbx); jmp . + 0x30");
GROUP(call, "mov (%rbx),%ecx; call . + 0x40");
GROUP(call_through_memory, "mov %ecx,(%rbx); call *0x50(%rbx)");
GROUP(call_register, "mov %ecx,(%rbx); call *%rdi");
GROUP(call_extended_register, "mov %ecx,(%rbx); call *%r12");
GROUP(jump_through_memory, "jmp *0x50(%rbx)");
GROUP(ret, "mov 8(%rbx),%eax; ret");
GROUP(nothing_logged, "add %eax,%ecx; mov %ecx,%edx; nop");
GROUP(long_one,
      "mov (%rbx),%eax; mov 4(%rbx),%ecx; mov %eax,8(%rbx); mov %ecx,12(%rbx); mov 16(%rbx),%eax; mov 20(%rbx),%ecx;"
      "mov %eax,24(%rbx); mov %ecx,28(%rbx); mov 32(%rbx),%eax; mov 36(%rbx),%ecx; mov %eax,40(%rbx);"
      "mov %ecx,44(%rbx); mov 48(%rbx),%eax; mov %eax,52(%rbx)");

#define ROW(name)                                                                                                      \
	{                                                                                                              \
#name, name##_start, name##_end                                                                        \
	}
struct row {
	const char *name;
	const uint8_t *start, *end;
};
static const struct row rows[] = {
	ROW(one_load),
	ROW(load_store),
	ROW(flags_live),
	ROW(chain),
	ROW(read_modify_write),
	ROW(on_rsp),
	ROW(indexed),
	ROW(no_base),
	ROW(rip_relative),
	ROW(extended),
	ROW(all_extended),
	ROW(twelve_thirteen),
	ROW(addr32),
	ROW(vectors),
	ROW(strings),
	ROW(pushes),
	ROW(branch_taken),
	ROW(branch_not_taken),
	ROW(branches_not_taken),
	ROW(branch_in_the_middle),
	ROW(jump),
	ROW(call),
	ROW(call_through_memory),
	ROW(call_register),
	ROW(call_extended_register),
	ROW(jump_through_memory),
	ROW(ret),
	ROW(nothing_logged),
	ROW(long_one),
};

/* Groups with one instruction that is recorded by its registers: a range call, or a function's entry or return. */
GROUP(known_call, "mov (%rbx),%ecx; call . + 0x40");
GROUP(known_call_through_memory, "call *0x50(%rbx)");
GROUP(known_jump, "mov %eax,(%rbx); jmp . + 0x40");
GROUP(known_entry, "push %r12; push %rbp; mov %rdi,(%rbx); mov %eax,8(%rbx)");
GROUP(known_return, "mov 8(%rbx),%eax; ret");
#define COPIES(at)                                                                                                     \
	{                                                                                                              \
		.n = 3, .insn = (at), .argument = {                                                                    \
			{RFS_OPERAND_COUNT, 0, RFS_RDX},                                                               \
			{RFS_OPERAND_RANGE, RFS_MEM_READ, RFS_RSI},                                                    \
			{RFS_OPERAND_RANGE, RFS_MEM_WRITE, RFS_RDI}                                                    \
		}                                                                                                      \
	}
static const struct known {
	struct row row;
	struct rfs_stub_call call;
} known[] = {
	{ROW(known_call), COPIES(1)},
	{ROW(known_call_through_memory), COPIES(0)},
	{ROW(known_jump), COPIES(1)},
	{ROW(known_entry), {.n = 1, .argument = {{RFS_OPERAND_REQUESTED, 0, RFS_RDI}}}},
	{ROW(known_return),
	 {.n = 2, .insn = 1, .argument = {{RFS_OPERAND_CALLER, 0, RFS_RSP}, {RFS_OPERAND_ALLOCATED, 0, RFS_RAX}}}},
};

GROUP(repeated,
      "mov $3,%ecx; lea 0x80(%rbx),%rdi; rep stosl; lea 0x10(%rbx),%rsi; mov $2,%ecx; rep movsq; movl $1,(%rbx)");
static const struct row repeated_row = ROW(repeated);

/* The buffer is a separate page, followed by a read-only page. */
#define BUFFER machine_page(AREA_RDI, VIEW_WRITABLE)
#define CONTROL (machine_page(AREA_STACK, VIEW_WRITABLE) + 3072)
#define STACK_TOP (machine_page(AREA_STACK, VIEW_WRITABLE) + 2048)
#define DATA machine_page(AREA_RSI, VIEW_WRITABLE)

struct group {
	struct machine machine;
	struct rfs_insn insns[RFS_STUB_INSNS];
	bool logged[RFS_STUB_INSNS];
	size_t n;
	const struct rfs_stub_call *call; /* NULL if no instruction is recorded by its registers */
	enum rfs_stub_filter filter;
	bool drops; /* the filter drops all accesses that it may drop */
	bool finds; /* the filter drops what is in the table */
	struct rfs_stub stub;
	uint8_t placed[RFS_STUB_CODE];
	uint8_t memory[AREAS][PAGE]; /* contents at the start of each run */
	struct user_regs_struct regs;
};

/* The original program's state right before instruction i. The last entry is the state after the group. */
struct state {
	struct user_regs_struct regs;
	uint8_t memory[AREAS][PAGE];
	uint8_t xstate[XSTATE_MAX];
	struct rfs_stub_record records[RFS_STUB_RECORDS]; /* of all earlier instructions */
	size_t n_records;
	uint64_t dropped, sum; /* what the filter has dropped of them */
};

static struct group group;
static struct state states[RFS_STUB_INSNS + 1];

static struct rfs_stub_control *control(void)
{
	return (struct rfs_stub_control *)(group.machine.page[AREA_STACK] + 3072);
}

static void prepare_memory(void)
{
	rfs_addr target = machine_place(PLACE_HOME) + 0x200;
	rfs_addr chain = DATA + 0x100;

	for (unsigned area = 0; area < AREAS; area++)
		for (unsigned i = 0; i < PAGE; i++)
			group.memory[area][i] = (uint8_t)(i * 7 + area);
	memset(group.memory[AREA_RDI], 0, PAGE);
	memset(group.memory[AREA_STACK] + 3072, 0, 1024);
	memcpy(group.memory[AREA_RSI] + 0x50, &target, sizeof(target));
	memcpy(group.memory[AREA_RSI] + 0x40, &chain, sizeof(chain));
	memcpy(group.memory[AREA_RSI] + 0x108, &chain, sizeof(chain));
	memcpy(group.memory[AREA_STACK] + 2048, &target, sizeof(target)); /* where ret goes */
	*(struct rfs_stub_control *)(group.memory[AREA_STACK] + 3072) =
		(struct rfs_stub_control){.next = BUFFER,
					  .table = (rfs_addr)(uintptr_t)group.machine.table,
					  .segment = group.finds ? 0 : RFS_FILTER_NO_SEGMENT,
					  .off = group.finds ? 0 : RFS_FILTER_NO_KEY,
					  .dropped = BUFFER,
					  .mask = {0x7ffff, 0x7fffe, 0x7fffc, 0x7fff8, 0x7fff8, 0x7fff8, 0x7fff8}};
}

static void reset_memory(void)
{
	struct rfs_stub_control *first = (struct rfs_stub_control *)(group.memory[AREA_STACK] + 3072);

	if (group.finds)
		first->segment += 2 * RFS_FILTER_SEGMENT; /* leaving the stub may have begun the next one */
	for (unsigned area = 0; area < AREAS; area++)
		memcpy(group.machine.page[area], group.memory[area], PAGE);
}

static void prepare_registers(void)
{
	struct user_regs_struct *regs = &group.regs;

	cr_assert(ptrace(PTRACE_GETREGS, group.machine.child, NULL, regs) == 0);
	regs->rax = 5;
	regs->rcx = 0x1111111111111111;
	regs->rdx = 0x2222222222222222;
	regs->rbx = DATA;
	regs->rsp = STACK_TOP;
	regs->rbp = 0x3333333333333333;
	regs->rsi = 6;
	regs->rdi = machine_place(PLACE_HOME) + 0x100;
	regs->r8 = 0x8888888888888888;
	regs->r9 = 0x9999999999999999;
	regs->r10 = 0xaaaaaaaaaaaaaaaa;
	regs->r11 = 0xbbbbbbbbbbbbbbbb;
	regs->r12 = machine_place(PLACE_HOME) + 0x180;
	regs->r13 = DATA + 8;
	regs->r14 = 0xeeeeeeeeeeeeeeee;
	regs->r15 = 0xffffffffffffffff;
	regs->eflags = 0xad7; /* all arithmetic flags */
	regs->rip = machine_place(PLACE_HOME);
	regs->orig_rax = ~0ull;
	regs->gs_base = CONTROL;
}

static void put_code(enum place place, const uint8_t *code, size_t n)
{
	uint8_t *at = group.machine.code[place] + (machine_place(place) & (PAGE - 1));

	memset(group.machine.code[place], 0xcc, PAGE);
	memcpy(at, code, n);
}

/* Runs from regs->rip until a fault, or until an int3, which is not counted. */
static void execute(const struct user_regs_struct *regs, struct result *result)
{
	size_t offset = regs->rip - machine_place(PLACE_NEAR);

	machine_run(&group.machine, PLACE_NEAR, group.placed + offset, group.stub.length - offset, regs, result);
}

static void decode(const uint8_t *start, const uint8_t *end)
{
	struct rfs_decoder *decoder;
	rfs_addr vaddr = machine_place(PLACE_HOME);

	cr_assert(rfs_decoder_new(&decoder) == 0);
	for (group.n = 0; start < end; group.n++) {
		struct rfs_insn *insn = &group.insns[group.n];

		cr_assert(rfs_insn_decode(decoder, start, (size_t)(end - start), vaddr, insn) == 0);
		group.logged[group.n] = insn->n_mem && rfs_stub_can_log(insn);
		start += insn->length;
		vaddr += insn->length;
	}
	if (group.call)
		group.logged[group.call->insn] = true;
	rfs_decoder_free(decoder);
}

static int read_stack(void *arg, rfs_addr address, void *buf, size_t n)
{
	(void)arg;
	memcpy(buf, group.machine.page[AREA_STACK] + (address - machine_page(AREA_STACK, VIEW_WRITABLE)), n);
	return 0;
}

static uint64_t value_of(const struct user_regs_struct *regs, int8_t reg)
{
	switch (reg) {
	case RFS_RAX:
		return regs->rax;
	case RFS_RDX:
		return regs->rdx;
	case RFS_RSI:
		return regs->rsi;
	case RFS_RDI:
		return regs->rdi;
	default:
		return regs->rsp;
	}
}

/* Appends the expected records of instruction i in this state. *number: of the next record. Returns how many. */
static size_t note_records(const struct user_regs_struct *regs, size_t i, struct rfs_stub_record *records,
			   size_t n_records, uint64_t *number)
{
	const struct rfs_insn *insn = &group.insns[i];
	const struct rfs_stub_call *call = group.call && i == group.call->insn ? group.call : NULL;
	struct rfs_machine machine = {.regs = regs, .read = read_stack};
	struct rfs_insn_access accesses[RFS_INSN_ACCESSES];
	int n = rfs_insn_accesses(insn, 0, &machine, accesses);
	struct rfs_stub_record told[RFS_STUB_OPERANDS];
	uint64_t shown[RFS_STUB_OPERANDS];
	size_t added = 0;

	if (insn->rep)
		shown[added++] = regs->rcx;
	for (int k = 0; k < n && !call; k++)
		if (!(accesses[k].flags & RFS_MEM_STACK))
			shown[added++] = accesses[k].address;
	for (int k = 0; call && k < call->n; k++) {
		shown[added] = value_of(regs, call->argument[k].reg);
		if (call->argument[k].kind == RFS_OPERAND_CALLER)
			read_stack(NULL, shown[added], &shown[added], sizeof(shown[added]));
		added++;
	}
	for (size_t k = 0; k < added; k++)
		records[n_records + k] = (struct rfs_stub_record){shown[k], *number + k};
	cr_assert(rfs_stub_records(insn, call, &machine, *number, told) == added &&
			  memcmp(told, records + n_records, added * sizeof(*told)) == 0,
		  "an instruction by itself: its records differ");
	*number += added;
	return added;
}

/* Takes back the record of instruction i, if the filter drops it. Returns how many records are left. */
static size_t drop(size_t i, const struct rfs_stub_record *record, size_t added, uint64_t *dropped, uint64_t *sum)
{
	const struct rfs_stub_call *call = group.call && i == group.call->insn ? group.call : NULL;
	struct rfs_stub_operand operand;

	if (!group.drops || !rfs_stub_filtered(&group.insns[i], call, &operand))
		return added;
	*dropped += operand.mem.flags & RFS_MEM_READ && operand.mem.flags & RFS_MEM_WRITE ? 2 : 1;
	*sum += record->address;
	return 0;
}

/* Whether control reaches instruction i, because no earlier branch is taken. */
static bool is_reached(size_t i)
{
	return i < group.n && states[i].regs.rip == group.insns[i].vaddr;
}

/* Runs the first i original instructions, for each i, and keeps the states in `states`. */
static void run_natively(const char *name)
{
	struct result result;
	struct rfs_stub_record records[RFS_STUB_RECORDS] = {0};
	uint64_t number = 1000, dropped = 0, sum = 0;
	size_t n_records = 0;

	for (size_t i = 0; i <= group.n; i++) {
		struct state *state = &states[i];
		uint8_t bytes[RFS_STUB_INSNS * RFS_INSN_MAX];
		size_t length = 0;

		for (size_t k = 0; k < i; k++) {
			memcpy(bytes + length, group.insns[k].bytes, group.insns[k].length);
			length += group.insns[k].length;
		}
		put_code(PLACE_HOME, bytes, length);
		reset_memory();
		machine_run(&group.machine, PLACE_HOME, bytes, length, &group.regs, &result);
		cr_assert(result.outcome == DONE, "%s: instruction %zu faults", name, i);
		memset(state, 0, sizeof(*state));
		state->regs = result.regs;
		state->regs.rip--; /* the int3 after the code has already run */
		memcpy(state->xstate, result.xstate, sizeof(state->xstate));
		for (unsigned area = 0; area < AREAS; area++)
			memcpy(state->memory[area], group.machine.page[area], PAGE);
		memcpy(state->records, records, sizeof(records));
		state->n_records = n_records;
		state->dropped = dropped;
		state->sum = sum;
		if (is_reached(i) && group.logged[i]) {
			size_t added = note_records(&state->regs, i, records, n_records, &number);

			n_records += drop(i, &records[n_records], added, &dropped, &sum);
		}
	}
}

static void check_state(const char *name, const char *what, size_t step, const struct user_regs_struct *regs,
			const struct state *expected)
{
	struct user_regs_struct a = *regs, b = expected->regs;
	uint8_t memory[PAGE];

	a.orig_rax = b.orig_rax = 0;
	a.eflags &= ~0x10100ull; /* TF and RF are left over from single-stepping */
	b.eflags &= ~0x10100ull;
	if (group.call && group.call->n_tests)
		a.eflags = b.eflags = 0;
	cr_assert(
		memcmp(&a, &b, sizeof(a)) == 0,
		"%s, %s %zu: registers differ (rip %#llx, %#llx; r11 %#llx, %#llx; r10 %#llx, %#llx; rsp %#llx, %#llx; "
		"rax %#llx, %#llx; flags %#llx, %#llx)",
		name, what, step, a.rip, b.rip, a.r11, b.r11, a.r10, b.r10, a.rsp, b.rsp, a.rax, b.rax, a.eflags,
		b.eflags);
	for (unsigned area = 0; area < AREAS; area++) {
		size_t n = area == AREA_STACK ? 3072 : PAGE;

		if (area == AREA_RDI)
			continue;
		/* ignore the return address on the stack: the call may or may not have been executed */
		memcpy(memory, group.machine.page[area], n);
		if (area == AREA_STACK && expected->regs.rsp == STACK_TOP)
			memcpy(memory + 2040, expected->memory[area] + 2040, 8);
		cr_assert(memcmp(memory, expected->memory[area], n) == 0, "%s, %s %zu: memory of area %u differs", name,
			  what, step, area);
	}
	cr_assert(control()->next == BUFFER + expected->n_records * sizeof(struct rfs_stub_record),
		  "%s, %s %zu: next record at %" PRId64 ", not %zu", name, what, step,
		  (int64_t)(control()->next - BUFFER) / 16, expected->n_records);
	cr_assert(memcmp(group.machine.page[AREA_RDI], expected->records,
			 expected->n_records * sizeof(struct rfs_stub_record)) == 0,
		  "%s, %s %zu: records differ", name, what, step);
	cr_assert(control()->dropped == BUFFER + expected->dropped && control()->sum == expected->sum,
		  "%s, %s %zu: %" PRIu64 " dropped, not %" PRIu64, name, what, step, control()->dropped - BUFFER,
		  expected->dropped);
}

static void run_stub(const char *name)
{
	struct user_regs_struct regs = group.regs;
	struct result result;

	reset_memory();
	regs.rip = machine_place(PLACE_NEAR);
	execute(&regs, &result);
	cr_assert(result.outcome == DONE, "%s: the stub faults at %#" PRIx64, name, result.address);
	result.regs.rip--;
	check_state(name, "stub", 0, &result.regs, &states[group.n]);
	cr_assert(memcmp(result.xstate, states[group.n].xstate, XSTATE_MAX) == 0, "%s: vector registers differ", name);
}

static bool in_stub(rfs_addr rip)
{
	return rip - machine_place(PLACE_NEAR) < group.stub.length;
}

/* Executes n single steps from the start of the stub. False if that leaves the stub. */
static bool step_into(size_t n, struct user_regs_struct *regs)
{
	int status;

	*regs = group.regs;
	regs->rip = machine_place(PLACE_NEAR);
	reset_memory();
	cr_assert(ptrace(PTRACE_SETREGS, group.machine.child, NULL, regs) == 0);
	for (size_t i = 0; i < n; i++) {
		cr_assert(ptrace(PTRACE_SINGLESTEP, group.machine.child, NULL, NULL) == 0);
		cr_assert(waitpid(group.machine.child, &status, 0) == group.machine.child && WIFSTOPPED(status));
		cr_assert(ptrace(PTRACE_GETREGS, group.machine.child, NULL, regs) == 0);
		if (!in_stub(regs->rip))
			return false;
	}
	return true;
}

/* Like execute(), but keeps the child's current vector registers. */
static void execute_from_here(const struct user_regs_struct *regs, struct result *result)
{
	static uint8_t first[XSTATE_MAX];
	struct iovec iov = {group.machine.xstate, XSTATE_MAX};

	memcpy(first, group.machine.xstate, sizeof(first));
	cr_assert(ptrace(PTRACE_GETREGSET, group.machine.child, (void *)NT_X86_XSTATE, &iov) == 0);
	execute(regs, result);
	memcpy(group.machine.xstate, first, sizeof(first));
}

static size_t insn_of(const char *name, rfs_addr rip)
{
	for (size_t i = 0; i <= group.n; i++)
		if (states[i].regs.rip == rip)
			return i;
	cr_assert(false, "%s: %#" PRIx64 " is no instruction of the group", name, rip);
	return 0;
}

/* Leaves the stub after each single step, and enters it again. */
static void leave_and_enter(const char *name)
{
	struct user_regs_struct regs;
	struct result result;

	for (size_t step = 0; step_into(step, &regs); step++) {
		size_t i;

		cr_assert(rfs_stub_leave(&group.stub, machine_place(PLACE_NEAR), machine_place(PLACE_HOME), false,
					 &regs, control()),
			  "%s: no way out after step %zu", name, step);
		i = insn_of(name, regs.rip);
		/* after the last instruction there is nothing to enter */
		check_state(name, "left after step", step, &regs, &states[i]);
		if (i == group.n)
			continue;
		rfs_stub_enter(&group.stub, machine_place(PLACE_NEAR), i, &regs, control());
		execute_from_here(&regs, &result);
		cr_assert(result.outcome == DONE, "%s: entered after step %zu, faults", name, step);
		result.regs.rip--;
		check_state(name, "entered after step", step, &result.regs, &states[group.n]);
	}
}

static void set_up(const struct row *row, const struct rfs_stub_call *call)
{
	const size_t size = (size_t)(row->end - row->start);

	cr_assert(size < sizeof(group.placed));
	group.call = call;
	decode(row->start, row->end);
	prepare_memory();
	prepare_registers();
	cr_assert(rfs_stub_build(group.insns, group.n, group.logged, call, group.filter, &group.stub) == 0,
		  "%s: no stub", row->name);
	cr_assert_lt(group.stub.length, PAGE - 65);
	cr_assert(rfs_stub_place(group.stub.code, group.stub.length, group.stub.fixups, group.stub.n_fixups, 0,
				 machine_place(PLACE_NEAR), 1000, 0, group.placed) == 0);
	run_natively(row->name);
	put_code(PLACE_NEAR, group.placed, group.stub.length);
	put_code(PLACE_HOME, row->start, size);
	memset(group.machine.code[PLACE_HOME], 0xcc, PAGE);
}

/* How a filter can treat all accesses of a group alike. */
static const struct treatment {
	enum rfs_stub_filter filter;
	bool drops;
} treatments[] = {
	{RFS_FILTER_NONE, false}, {RFS_FILTER_REPEATS, false}, {RFS_FILTER_PLACES, false}, {RFS_FILTER_PLACES, true}};
#define TREATMENTS (sizeof(treatments) / sizeof(treatments[0]))

/* False: this processor has no filter. */
static bool treat(const struct treatment *treatment)
{
	if (treatment->filter && !__builtin_cpu_supports("bmi2"))
		return false;
	group.filter = treatment->filter;
	group.drops = treatment->drops;
	memset(group.machine.table, treatment->filter == RFS_FILTER_PLACES && !treatment->drops, MACHINE_TABLE);
	return true;
}

static void run_all(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		set_up(&rows[i], NULL);
		run_stub(rows[i].name);
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		set_up(&known[i].row, &known[i].call);
		run_stub(known[i].row.name);
	}
	set_up(&repeated_row, NULL);
	run_stub(repeated_row.name);
}

Test(stub, does_what_the_instructions_do)
{
	machine_start(&group.machine);
	for (size_t i = 0; i < TREATMENTS; i++)
		if (treat(&treatments[i]))
			run_all();
	machine_stop(&group.machine);
}

/* The time grows with the square of a stub's length. In the short check, long groups have no filter. */
#define LONG 4

static void leave_and_enter_all(void)
{
	const enum rfs_stub_filter longest = getenv("RFSUP_CHECK_FULL") ? RFS_FILTER_REPEATS : RFS_FILTER_NONE;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		set_up(&rows[i], NULL);
		if (group.filter <= longest || group.n <= LONG)
			leave_and_enter(rows[i].name);
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		set_up(&known[i].row, &known[i].call);
		leave_and_enter(known[i].row.name);
	}
}

Test(stub, can_be_left_and_entered_everywhere)
{
	machine_start(&group.machine);
	for (size_t i = 0; i < TREATMENTS; i++)
		if (treat(&treatments[i]))
			leave_and_enter_all();
	/* the accesses of this group differ: if a record is taken back, its access must not be found in the table */
	if (treat(&(struct treatment){RFS_FILTER_REPEATS, false})) {
		group.finds = true;
		set_up(&(struct row)ROW(long_one), NULL);
		leave_and_enter("long_one, with keys");
		group.finds = false;
	}
	machine_stop(&group.machine);
}

/* A function's entry whose stub tests four words, and then either records or stops. */
GROUP(tested_entry, "push %r12; mov %rdi,8(%rbx); mov 0x18(%rbx),%eax");
#define WORD_AT 0x60u
#define MASKED_AT 0x64u
#define SELF_AT 0x68u
#define ANY_AT 0x6cu
static const struct row tested_row = ROW(tested_entry);
static const struct rfs_stub_call tested = {
	.n = 2,
	.argument = {{RFS_OPERAND_CALLER, 0, RFS_RSP}, {RFS_OPERAND_LOCKED, 0, RFS_RDI}},
	.n_tests = 5,
	.lent = 1,
	.test = {{.kind = RFS_TEST_WORD, .reg = RFS_RBX, .offset = WORD_AT, .mask = ~0u, .value = 0x80000001},
		 {.kind = RFS_TEST_WORD, .reg = RFS_RBX, .offset = MASKED_AT, .mask = ~6u, .value = 9},
		 {.kind = RFS_TEST_SELF, .reg = RFS_RBX, .offset = SELF_AT, .mask = ~0u},
		 {.kind = RFS_TEST_ANY, .reg = RFS_RBX, .offset = ANY_AT, .mask = ~1u},
		 {.kind = RFS_TEST_ONLY, .reg = RFS_RDI}},
};

/* The same function, if calls of this kind need calls of another kind that were lent too. */
static const struct rfs_stub_call needs_other = {
	.n = 2,
	.argument = {{RFS_OPERAND_CALLER, 0, RFS_RSP}, {RFS_OPERAND_SIGNALLED, 0, RFS_RDI}},
	.n_tests = 1,
	.lent = 1,
	.test = {{.kind = RFS_TEST_LENT, .value = 2}},
};

static void set_up_tested(const struct rfs_stub_call *call)
{
	static const uint32_t words[] = {0x80000001, 0xf, 4711, 0x10};
	struct rfs_stub_control *first = (struct rfs_stub_control *)(group.memory[AREA_STACK] + 3072);

	set_up(&tested_row, call);
	memcpy(group.memory[AREA_RSI] + WORD_AT, words, sizeof(words));
	first->lent = (struct rfs_stub_lent){
		.calls = {0, 2, 1}, .self = 4711, .only = machine_place(PLACE_HOME) + 0x100, .mask = ~0ull};
	run_natively(tested_row.name);
	put_code(PLACE_NEAR, group.placed, group.stub.length);
	memset(group.machine.code[PLACE_HOME], 0xcc, PAGE);
}

/* Expects that the stub traps with the child's current memory. Then continues after the trap, as a stop would. */
static void expect_stop(const char *why)
{
	const rfs_addr trap = machine_place(PLACE_NEAR) + group.stub.stop_at;
	struct state stopped = states[0], passed = states[group.n];
	struct user_regs_struct regs = group.regs;
	struct result result;

	memcpy(stopped.memory[AREA_RSI], group.machine.page[AREA_RSI], PAGE);
	memcpy(passed.memory[AREA_RSI], group.machine.page[AREA_RSI], PAGE);
	memcpy(passed.memory[AREA_RSI] + 8, &regs.rdi, 8);
	regs.rip = machine_place(PLACE_NEAR);
	execute(&regs, &result);
	cr_assert(result.outcome == DONE && result.regs.rip == trap + 1, "%s: no stop", why);
	stopped.regs.rip = trap + 1;
	check_state(why, "stop", 0, &result.regs, &stopped);
	regs = result.regs;
	execute(&regs, &result);
	cr_assert(result.outcome == DONE, "%s: faults", why);
	result.regs.rip--;
	passed.n_records = 0;
	check_state(why, "passed", 0, &result.regs, &passed);
	regs.rip = trap + 1;
	cr_expect(rfs_stub_leave(&group.stub, machine_place(PLACE_NEAR), machine_place(PLACE_HOME), false, &regs,
				 control()));
	cr_expect(regs.rip == machine_place(PLACE_HOME) && control()->next == BUFFER, "%s", why);
}

Test(stub, tests_decide_between_a_record_and_a_stop)
{
	static const struct {
		const char *why;
		unsigned at;
		uint32_t value;
	} cases[] = {{"word", WORD_AT, 1}, {"masked", MASKED_AT, 0x10f}, {"self", SELF_AT, 0x4711}, {"any", ANY_AT, 1}};
	static const int32_t lent[] = {0, -1};

	machine_start(&group.machine);
	set_up_tested(&tested);
	run_stub(tested_row.name);
	cr_expect_eq(control()->lent.calls[1], 1);
	leave_and_enter(tested_row.name);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		reset_memory();
		memcpy(group.machine.page[AREA_RSI] + cases[i].at, &cases[i].value, sizeof(cases[i].value));
		expect_stop(cases[i].why);
		cr_expect_eq(control()->lent.calls[1], 2, "%s", cases[i].why);
	}
	reset_memory();
	control()->lent.only ^= 1ull << 40;
	expect_stop("only");
	/* two operations of the other kind were lent */
	reset_memory();
	control()->lent = (struct rfs_stub_lent){.calls = {2, 0}, .self = 4711};
	expect_stop("kind");
	for (size_t i = 0; i < sizeof(lent) / sizeof(*lent); i++) {
		reset_memory();
		control()->lent.calls[1] = lent[i];
		expect_stop("lent");
	}
	machine_stop(&group.machine);
}

Test(stub, calls_that_need_calls_of_another_kind)
{
	machine_start(&group.machine);
	set_up_tested(&needs_other);
	run_stub(tested_row.name);
	cr_expect(control()->lent.calls[1] == 1 && control()->lent.calls[2] == 1);
	reset_memory();
	control()->lent.calls[2] = 0;
	expect_stop("other kind");
	cr_expect_eq(control()->lent.calls[1], 2);
	machine_stop(&group.machine);
}

Test(stub, a_test_that_faults_is_no_instruction_of_the_program)
{
	const rfs_addr bad = machine_page(AREA_RSI, VIEW_NONE);
	struct user_regs_struct regs;
	struct result result;

	machine_start(&group.machine);
	set_up_tested(&tested);
	reset_memory();
	regs = group.regs;
	regs.rbx = bad;
	regs.rip = machine_place(PLACE_NEAR);
	execute(&regs, &result);
	cr_assert(result.outcome == FAULT && result.address == bad + WORD_AT);
	cr_expect(result.regs.rip - machine_place(PLACE_NEAR) < group.stub.tests_end);
	cr_assert(rfs_stub_leave(&group.stub, machine_place(PLACE_NEAR), machine_place(PLACE_HOME), true, &result.regs,
				 control()));
	cr_expect(result.regs.rip == machine_place(PLACE_HOME) && control()->next == BUFFER &&
		  control()->lent.calls[1] == 2);
	cr_expect(result.regs.r10 == group.regs.r10 && result.regs.r11 == group.regs.r11);
	machine_stop(&group.machine);
}

/*
 * Leaves a repeated string instruction after one of three elements, and enters it again. The other two elements must be
 * recorded too.
 */
Test(stub, repeated_string_in_the_middle)
{
	const struct rfs_stub_record *records;
	struct user_regs_struct regs;
	struct result result;
	size_t step = 0;

	machine_start(&group.machine);
	set_up(&repeated_row, NULL);
	do
		cr_assert(step_into(step++, &regs));
	while (regs.rcx != 2);
	cr_assert(rfs_stub_leave(&group.stub, machine_place(PLACE_NEAR), machine_place(PLACE_HOME), false, &regs,
				 control()));
	cr_expect(regs.rip == group.insns[2].vaddr && regs.rcx == 2 && regs.rdi == DATA + 0x84);
	rfs_stub_enter(&group.stub, machine_place(PLACE_NEAR), 2, &regs, control());
	execute_from_here(&regs, &result);
	cr_assert(result.outcome == DONE);
	cr_expect(memcmp(group.machine.page[AREA_RSI], states[group.n].memory[AREA_RSI], PAGE) == 0);
	cr_expect(control()->next == BUFFER + (states[group.n].n_records + 2) * sizeof(struct rfs_stub_record));
	records = (const void *)group.machine.page[AREA_RDI];
	cr_expect(records[0].address == 3 && records[1].address == DATA + 0x80);
	cr_expect(records[2].address == 2 && records[3].address == DATA + 0x84);
	cr_expect(records[2].number == 1000 && records[3].number == 1001);
	machine_stop(&group.machine);
}

/*
 * The buffer ends in the middle of the group. Execution leaves there with all records so far, and continues with an
 * empty buffer.
 */
static void fill_buffer(void)
{
	struct result result;
	struct user_regs_struct regs;
	size_t i;

	set_up(&(struct row)ROW(long_one), NULL);
	for (unsigned room = 0; room < RFS_STUB_RECORDS; room++) {
		rfs_addr end = BUFFER + PAGE;

		reset_memory();
		control()->next = end - room * sizeof(struct rfs_stub_record);
		regs = group.regs;
		regs.rip = machine_place(PLACE_NEAR);
		execute(&regs, &result);
		cr_assert(result.outcome == FAULT && result.address == end, "room for %u", room);
		cr_assert(rfs_stub_leave(&group.stub, machine_place(PLACE_NEAR), machine_place(PLACE_HOME), true,
					 &result.regs, control()));
		i = insn_of("long_one", result.regs.rip);
		cr_expect(control()->next == end && i == room, "room for %u: %zu executed", room, i);
		cr_expect(memcmp(group.machine.page[AREA_RDI] + PAGE - room * sizeof(struct rfs_stub_record),
				 states[group.n].records, room * sizeof(struct rfs_stub_record)) == 0);
		control()->next = BUFFER;
		rfs_stub_enter(&group.stub, machine_place(PLACE_NEAR), i, &result.regs, control());
		regs = result.regs;
		execute(&regs, &result);
		cr_assert(result.outcome == DONE);
		cr_expect(result.regs.rip - 1 == states[group.n].regs.rip && result.regs.r11 == group.regs.r11);
		cr_expect(control()->next == BUFFER + (RFS_STUB_RECORDS - room) * sizeof(struct rfs_stub_record));
	}
}

Test(stub, full_buffer)
{
	machine_start(&group.machine);
	for (size_t i = 0; i < TREATMENTS; i++)
		if (!treatments[i].drops && treat(&treatments[i]))
			fill_buffer();
	machine_stop(&group.machine);
}

/* The count of dropped accesses reaches its limit in the middle of the group. */
Test(stub, full_count)
{
	const rfs_addr end = BUFFER + PAGE;
	struct result result;
	struct user_regs_struct regs;

	if (!__builtin_cpu_supports("bmi2"))
		cr_skip("no BMI2");
	machine_start(&group.machine);
	cr_assert(treat(&treatments[TREATMENTS - 1]));
	set_up(&(struct row)ROW(long_one), NULL);
	for (unsigned room = 0; room < RFS_STUB_RECORDS; room++) {
		size_t i;

		reset_memory();
		control()->dropped = end - 1 - room;
		regs = group.regs;
		regs.rip = machine_place(PLACE_NEAR);
		execute(&regs, &result);
		cr_assert(result.outcome == FAULT && result.address == end, "room for %u", room);
		cr_assert(rfs_stub_leave(&group.stub, machine_place(PLACE_NEAR), machine_place(PLACE_HOME), true,
					 &result.regs, control()));
		i = insn_of("long_one", result.regs.rip);
		cr_expect(i == room && control()->dropped == end - 1 && control()->next == BUFFER);
		cr_expect(control()->sum == states[room].sum);
		control()->dropped = BUFFER;
		rfs_stub_enter(&group.stub, machine_place(PLACE_NEAR), i, &result.regs, control());
		regs = result.regs;
		execute(&regs, &result);
		cr_assert(result.outcome == DONE);
		cr_expect(result.regs.rip - 1 == states[group.n].regs.rip && result.regs.r11 == group.regs.r11 &&
			  result.regs.rcx == states[group.n].regs.rcx);
		cr_expect(control()->dropped == BUFFER + RFS_STUB_RECORDS - room);
		cr_expect(control()->sum == states[group.n].sum);
	}
	machine_stop(&group.machine);
}

GROUP(faulting, "mov (%rbx),%ecx; mov (%rdx),%eax; mov %ecx,8(%rbx)");
GROUP(faulting_call, "mov (%rbx),%ecx; call *(%rdx)");

/* If an original instruction faults in the stub, rip shows its original address, and its access is recorded. */
Test(stub, faults_are_the_programs)
{
	static const struct {
		const char *name;
		const uint8_t *start, *end;
	} faults[] = {ROW(faulting), ROW(faulting_call)};
	struct user_regs_struct regs;
	struct result result;

	machine_start(&group.machine);
	for (size_t k = 0; k < TREATMENTS * sizeof(faults) / sizeof(faults[0]); k++) {
		const size_t i = k / TREATMENTS;
		rfs_addr bad = machine_page(AREA_RSI, VIEW_NONE);

		if (!treat(&treatments[k % TREATMENTS]))
			continue;
		group.call = NULL;
		decode(faults[i].start, faults[i].end);
		prepare_memory();
		prepare_registers();
		group.regs.rdx = bad;
		cr_assert(rfs_stub_build(group.insns, group.n, group.logged, NULL, group.filter, &group.stub) == 0);
		cr_assert(rfs_stub_place(group.stub.code, group.stub.length, group.stub.fixups, group.stub.n_fixups, 0,
					 machine_place(PLACE_NEAR), 0, 0, group.placed) == 0);
		put_code(PLACE_NEAR, group.placed, group.stub.length);
		reset_memory();
		regs = group.regs;
		regs.rip = machine_place(PLACE_NEAR);
		execute(&regs, &result);
		cr_assert(result.outcome == FAULT && result.address == bad, "%s", faults[i].name);
		cr_assert(rfs_stub_leave(&group.stub, machine_place(PLACE_NEAR), machine_place(PLACE_HOME), true,
					 &result.regs, control()));
		cr_expect(result.regs.rip == machine_place(PLACE_HOME) + group.stub.insn_at[1], "%s", faults[i].name);
		cr_expect(result.regs.rsp == group.regs.rsp && result.regs.r11 == group.regs.r11 &&
				  result.regs.r10 == group.regs.r10,
			  "%s", faults[i].name);
		cr_expect((control()->next - BUFFER) / sizeof(struct rfs_stub_record) + control()->dropped - BUFFER ==
				  2,
			  "%s", faults[i].name);
	}
	machine_stop(&group.machine);
}

/*
 * Groups that follow each other, with an access each. The last column: whether the filter of repeats drops the access.
 * bump: a new segment begins before it.
 */
GROUP(reads_8, "mov 16(%rbx),%rax");
GROUP(reads_8_again, "mov 8(%rbx,%rsi),%rcx; nop");
GROUP(reads_4, "movl 16(%rbx),%eax");
GROUP(reads_1, "movb 16(%rbx),%al");
GROUP(reads_next, "mov 17(%rbx),%rax");
GROUP(reads_16, "movups 16(%rbx),%xmm0");
GROUP(writes_8, "mov %rax,16(%rbx)");
GROUP(updates_8, "addq $1,16(%rbx)");
GROUP(updates_other, "incl (%rbx)");

Test(stub, repeats_are_dropped)
{
	static const struct {
		struct row row;
		bool bump, off, dropped;
	} steps[] = {
		{ROW(reads_8), false, false, false},	  {ROW(reads_8), false, false, true},
		{ROW(reads_8_again), false, false, true}, {ROW(reads_4), false, false, false},
		{ROW(reads_4), false, false, true},	  {ROW(reads_8), false, false, true},
		{ROW(reads_1), false, false, false},	  {ROW(reads_next), false, false, false},
		{ROW(reads_next), false, false, true},	  {ROW(reads_16), false, false, false},
		{ROW(reads_16), false, false, true},	  {ROW(writes_8), false, false, false},
		{ROW(reads_16), false, false, true},	  {ROW(writes_8), false, false, true},
		{ROW(updates_8), false, false, true},	  {ROW(updates_other), false, false, false},
		{ROW(updates_other), false, false, true}, {ROW(writes_8), true, false, false},
		{ROW(writes_8), false, false, true},	  {ROW(writes_8), false, true, false},
		{ROW(writes_8), false, true, false},	  {ROW(writes_8), false, false, false},
		{ROW(writes_8), false, false, true},	  {ROW(reads_8), false, false, false},
	};
	uint64_t segment = 5 * RFS_FILTER_SEGMENT + 3 * RFS_FILTER_LATE;
	size_t records = 0;
	uint64_t dropped = 0;

	if (!__builtin_cpu_supports("bmi2"))
		cr_skip("no BMI2");
	machine_start(&group.machine);
	cr_assert(treat(&(struct treatment){RFS_FILTER_REPEATS, false}));
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct rfs_stub_control *first = (struct rfs_stub_control *)(group.memory[AREA_STACK] + 3072);
		struct result result;
		struct user_regs_struct regs;

		set_up(&steps[i].row, NULL);
		group.regs.rsi = 8;
		segment += steps[i].bump ? RFS_FILTER_SEGMENT : 0;
		if (!steps[i].off) {
			first->segment = segment;
			first->off = 0;
		}
		reset_memory();
		regs = group.regs;
		regs.rip = machine_place(PLACE_NEAR);
		execute(&regs, &result);
		cr_assert(result.outcome == DONE);
		records = (control()->next - BUFFER) / sizeof(struct rfs_stub_record);
		dropped = control()->dropped - BUFFER;
		cr_expect_eq(records, !steps[i].dropped, "step %zu, %s: %zu records", i, steps[i].row.name, records);
		cr_expect_eq(dropped > 0, steps[i].dropped, "step %zu, %s", i, steps[i].row.name);
	}
	machine_stop(&group.machine);
}

GROUP(freeing, "mov %eax,(%rbx); call . + 0x40");

/* A free, and what changes what the thread holds or knows, begins a new segment, with any filter. */
Test(stub, new_segments_begin_at_records)
{
	static const struct {
		enum rfs_operand_kind kind;
		bool begins;
	} kinds[] = {{RFS_OPERAND_BLOCK, true},	   {RFS_OPERAND_RESIZED, true},	  {RFS_OPERAND_RANGE, false},
		     {RFS_OPERAND_COUNT, false},   {RFS_OPERAND_ALLOCATED, true}, {RFS_OPERAND_LOCKED, true},
		     {RFS_OPERAND_UNLOCKED, true}, {RFS_OPERAND_POSTED, true},	  {RFS_OPERAND_BROADCAST, true}};

	machine_start(&group.machine);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct rfs_stub_call call = {
			.n = 1, .insn = 1, .argument = {{(uint8_t)kinds[i].kind, 0, RFS_RDI}}};
		struct result result;
		struct user_regs_struct regs;

		cr_assert(treat(&treatments[0]));
		set_up(&(struct row)ROW(freeing), &call);
		regs = group.regs;
		regs.rip = machine_place(PLACE_NEAR);
		reset_memory();
		execute(&regs, &result);
		cr_assert(result.outcome == DONE);
		cr_expect_eq(control()->segment, RFS_FILTER_NO_SEGMENT + (kinds[i].begins ? RFS_FILTER_SEGMENT : 0),
			     "kind %d", kinds[i].kind);
	}
	machine_stop(&group.machine);
}
