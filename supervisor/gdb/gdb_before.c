/* gdb_before.c - reads the instructions of a function forwards, and looks which of them lead to an address. */
#include "supervisor/gdb/gdb_before.h"

#include <stdlib.h>
#include <string.h>

#include "disasm/elf/elf.h"
#include "disasm/insn/insn.h"
#include "supervisor/base/alloc.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"

/* Longer functions are not read. */
#define FUNCTION_MOST (1ul << 20)
/* A jump to a stub. */
#define JUMP 5
/* At most so many instructions before the one that leads to the address. */
#define BACK_MOST 24
/* A search for room goes back through at most this many places where ways meet. */
#define MEETINGS 16

struct function {
	struct rfs_insn *insns;
	bool *meets; /* whether a jump of the function leads to the instruction */
	size_t n;
};

struct before {
	const struct function *f;
	rfs_addr address; /* has a breakpoint, so no stub can cover it */
	rfs_addr *out;
	size_t n, most;
	size_t met[MEETINGS], n_met; /* where ways meet that were followed back already */
};

static void add(struct before *before, rfs_addr address)
{
	for (size_t i = 0; i < before->n; i++)
		if (before->out[i] == address)
			return;
	if (before->n < before->most)
		before->out[before->n++] = address;
}

static rfs_addr end_of(const struct rfs_insn *insn)
{
	return insn->vaddr + insn->length;
}

static bool is_jump(const struct rfs_insn *insn)
{
	return insn->flow == RFS_FLOW_JUMP || insn->flow == RFS_FLOW_BRANCH;
}

static void find_meetings(struct function *f)
{
	f->meets = xcalloc(f->n + 1, sizeof(*f->meets));
	for (size_t i = 0; i < f->n; i++) {
		size_t low = 0, high = f->n;

		while (low < high && is_jump(&f->insns[i])) {
			const size_t middle = low + (high - low) / 2;

			if (f->insns[middle].vaddr < f->insns[i].target)
				low = middle + 1;
			else
				high = middle;
		}
		if (low < f->n && is_jump(&f->insns[i]) && f->insns[low].vaddr == f->insns[i].target)
			f->meets[low] = true;
	}
}

/* Reads the function at the address. False if there is none. */
static bool read_function(struct rfs_run *run, rfs_addr address, struct function *out)
{
	const struct rfs_module_info *info = rfs_info_at(run, address);
	const struct rfs_function *f = info ? rfs_elf_function_at(info->elf, address - info->bias) : NULL;
	const size_t size = f ? f->end - f->start : 0;
	struct rfs_space *space = rfs_run_space(run);
	const rfs_addr start = f ? f->start + info->bias : 0;
	unsigned char *bytes;
	size_t room = 0;
	bool readable;

	*out = (struct function){0};
	if (!size || size > FUNCTION_MOST || !space)
		return false;
	bytes = xmalloc(size);
	readable = rfs_space_read(space, start, bytes, size) == 0;
	for (size_t at = 0; readable && at < size;) {
		if (out->n == room) {
			room = 2 * room + 64;
			out->insns = xreallocarray(out->insns, room, sizeof(*out->insns));
		}
		if (rfs_insn_decode(run->decoder, bytes + at, size - at, start + at, &out->insns[out->n]))
			break;
		at += out->insns[out->n++].length;
	}
	free(bytes);
	if (out->n)
		find_meetings(out);
	return out->n > 0;
}

static void release(struct function *f)
{
	free(f->insns);
	free(f->meets);
}

/* Whether a stub has room at instruction i: other ways must not lead into it, and no breakpoint may be inside. */
static bool has_room(const struct before *before, size_t i)
{
	const struct function *f = before->f;
	size_t at = i, bytes = 0;

	do {
		bytes += f->insns[at].length;
		if (f->insns[at].flow != RFS_FLOW_NEXT && f->insns[at].flow != RFS_FLOW_BRANCH)
			break;
		at++;
	} while (bytes < JUMP && at < f->n && !f->meets[at] && f->insns[at].vaddr != before->address);
	return bytes >= JUMP;
}

/* Whether the thread can come from the instruction before i to i, without anything in between. */
static bool comes_straight(const struct function *f, size_t i)
{
	return i > 0 && (f->insns[i - 1].flow == RFS_FLOW_NEXT || f->insns[i - 1].flow == RFS_FLOW_BRANCH) &&
	       !f->insns[i - 1].rep;
}

static void add_ways(struct before *before, size_t i);

/*
 * Adds instruction i, or a place before it from which the thread comes to it. That place has room for a stub, and is as
 * far back as the way is the only one: steps back from there to it then need no more search.
 */
static void add_with_room(struct before *before, size_t i)
{
	const struct function *f = before->f;
	size_t at = i;

	while (!has_room(before, at)) {
		if (f->meets[at] && before->n_met < MEETINGS) {
			add_ways(before, at);
			return;
		}
		if (f->meets[at] || !comes_straight(f, at))
			break;
		at--;
	}
	if (!has_room(before, at))
		at = i;
	while (!f->meets[at] && comes_straight(f, at) && f->insns[at - 1].flow == RFS_FLOW_NEXT && i - at < BACK_MOST)
		at--;
	add(before, f->insns[at].vaddr);
}

/* Adds the instructions of the function that lead to instruction i. */
static void add_ways(struct before *before, size_t i)
{
	const struct function *f = before->f;

	for (size_t k = 0; k < before->n_met; k++)
		if (before->met[k] == i)
			return;
	if (before->n_met < MEETINGS)
		before->met[before->n_met++] = i;
	for (size_t k = 0; k < f->n; k++)
		if ((is_jump(&f->insns[k]) && f->insns[k].target == f->insns[i].vaddr) ||
		    f->insns[k].flow == RFS_FLOW_JUMP_INDIRECT)
			add_with_room(before, k);
	if (i > 0 && f->insns[i - 1].flow != RFS_FLOW_JUMP && f->insns[i - 1].flow != RFS_FLOW_RETURN &&
	    f->insns[i - 1].flow != RFS_FLOW_JUMP_INDIRECT)
		add_with_room(before, i - 1);
}

/* The function that a call of this address gets to. An entry of the PLT jumps through a pointer. */
static rfs_addr behind_plt(struct rfs_run *run, rfs_addr target)
{
	struct rfs_space *space = rfs_run_space(run);
	unsigned char bytes[4 + RFS_INSN_MAX];
	struct rfs_insn insn;
	size_t at = 0;
	rfs_addr slot;

	if (!space || rfs_space_read(space, target, bytes, sizeof(bytes)))
		return target;
	if (memcmp(bytes, "\xf3\x0f\x1e\xfa", 4) == 0) /* endbr64 */
		at = 4;
	if (rfs_insn_decode(run->decoder, bytes + at, sizeof(bytes) - at, target + at, &insn) ||
	    insn.flow != RFS_FLOW_JUMP_INDIRECT || !insn.n_mem || !insn.mem[0].rip_relative ||
	    rfs_space_read(space, (rfs_addr)insn.mem[0].disp, &slot, sizeof(slot)))
		return target;
	return slot;
}

static void add_returns(struct rfs_run *run, struct before *before, rfs_addr target)
{
	struct before inside = *before;
	struct function callee;

	if (!read_function(run, behind_plt(run, target), &callee))
		return;
	inside.f = &callee;
	inside.n_met = 0;
	for (size_t i = 0; i < callee.n; i++)
		if (callee.insns[i].flow == RFS_FLOW_RETURN)
			add_with_room(&inside, i);
	before->n = inside.n;
	release(&callee);
}

size_t rfs_gdb_before(struct rfs_run *run, rfs_addr address, rfs_addr caller, rfs_addr *out, size_t most)
{
	struct function f;
	struct before before = {.f = &f, .address = address, .out = out, .most = most};

	if (caller)
		add(&before, caller);
	if (!read_function(run, address, &f))
		return before.n;
	for (size_t i = 0; i < f.n; i++) {
		if (f.insns[i].vaddr != address)
			continue;
		add_ways(&before, i);
		if (i > 0 && f.insns[i - 1].flow == RFS_FLOW_CALL)
			add_returns(run, &before, f.insns[i - 1].target);
	}
	release(&f);
	return before.n;
}

static int before_read(void *space, rfs_addr address, void *buf, size_t n)
{
	return rfs_space_read(space, address, buf, n);
}

static int before_write(void *space, rfs_addr address, const void *buf, size_t n)
{
	(void)space, (void)address, (void)buf, (void)n;
	return 0; /* a call pushes its return address, but only the target matters here */
}

bool rfs_gdb_leads_to(struct rfs_run *run, const struct rfs_thread *thread, rfs_addr address)
{
	struct user_regs_struct regs = *rfs_task_regs(thread->task);
	struct rfs_space *space = rfs_run_space(run);
	const struct rfs_memory memory = {before_read, before_write, space};
	unsigned char bytes[RFS_INSN_MAX];
	struct rfs_insn insn;
	size_t n;

	if (!space)
		return false;
	n = rfs_space_read_mapped(space, regs.rip, bytes, sizeof(bytes));
	if (!n || rfs_insn_decode(run->decoder, bytes, n, regs.rip, &insn))
		return false;
	/* the processor steps each round of a string instruction, and rounds may end early */
	if (insn.rep && (insn.rep_until || regs.rcx != 1))
		return false;
	if (insn.flow == RFS_FLOW_NEXT || insn.flow == RFS_FLOW_SYSCALL)
		return end_of(&insn) == address;
	return rfs_insn_emulate(&insn, regs.rip, &regs, &memory) == 0 && regs.rip == address;
}
