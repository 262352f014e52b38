/*
 * Sets and removes breakpoints, and decides how the instruction under each is executed.
 */
#include "tracer/code/breakpoint-priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

#include "disasm/addr.h"
#include "disasm/insn/insn.h"
#include "tracer/code/breakpoint_table-priv.h"
#include "tracer/code/patch-priv.h"
#include "tracer/code/space_code-priv.h"
#include "tracer/places/slot-priv.h"
#include "tracer/process/code_bytes-priv.h"
#include "tracer/process/space-priv.h"
#include "tracer/process/task-priv.h"
#include "tracer/process/tracer-priv.h"

/* True for endbr64 (no effect without shadow stacks), nop, and the long nops 0f 1f with or without 66. */
static bool does_nothing(const struct rfs_insn *insn)
{
	const uint8_t *bytes = insn->bytes;
	size_t n = insn->length;

	if (n == 4 && !memcmp(bytes, "\xf3\x0f\x1e\xfa", 4))
		return true;
	while (n > 1 && *bytes == 0x66) {
		bytes++;
		n--;
	}
	if (n == 1)
		return *bytes == 0x90;
	if (*bytes == 0x2e) {
		bytes++;
		n--;
	}
	return n >= 3 && bytes[0] == 0x0f && bytes[1] == 0x1f;
}

static enum rfs_pass choose_pass(const struct rfs_insn *insn)
{
	if (does_nothing(insn))
		return RFS_PASS_SKIP;
	switch (insn->flow) {
	case RFS_FLOW_JUMP:
	case RFS_FLOW_BRANCH:
	case RFS_FLOW_CALL:
	case RFS_FLOW_JUMP_INDIRECT:
	case RFS_FLOW_CALL_INDIRECT:
	case RFS_FLOW_RETURN:
		return insn->cannot_copy ? RFS_PASS_STEP : RFS_PASS_EMULATE;
	case RFS_FLOW_TRAP:
		return insn->bytes[0] == RFS_TRAP_BYTE ? RFS_PASS_TRAP : RFS_PASS_STEP;
	case RFS_FLOW_NEXT:
	case RFS_FLOW_SYSCALL:
		break;
	}
	return insn->cannot_copy ? RFS_PASS_STEP : RFS_PASS_COPY;
}

/*
 * Whether a task can get to address + 1 without executing the int3 at address. This is possible after an instruction of
 * one byte, because the next one begins there. It is also possible after a lock prefix, because code of the C library
 * jumps over such prefixes. In both cases, rip - 1 == address does not prove a hit.
 */
static bool is_doubtful(const struct rfs_insn *insn)
{
	return insn->length == 1 || insn->bytes[0] == 0xf0;
}

/* Reads RFS_INSN_MAX bytes, or only those before the end of the page if the next page is not mapped. *n: how many.
 * Returns 0, -EFAULT or -ESRCH. */
static int breakpoint_read_code(struct rfs_space *space, rfs_addr address, uint8_t *bytes, size_t *n)
{
	int r;

	*n = RFS_INSN_MAX;
	r = rfs_space_peek(space, address, bytes, *n);
	if (r == -EFAULT && (address + *n) / RFS_PAGE != address / RFS_PAGE) {
		*n = RFS_PAGE - address % RFS_PAGE;
		r = rfs_space_peek(space, address, bytes, *n);
	}
	if (!r)
		rfs_breakpoint_hide(space, address, bytes, *n);
	return r;
}

static int breakpoint_decode(struct rfs_space *space, rfs_addr address, struct rfs_insn *out)
{
	uint8_t bytes[RFS_INSN_MAX];
	size_t n;
	int r = breakpoint_read_code(space, address, bytes, &n);

	return r ? r : rfs_insn_decode(space->tracer->decoder, bytes, n, address, out);
}

void rfs_breakpoint_look(struct rfs_breakpoint *breakpoint)
{
	struct rfs_insn *insn = breakpoint->lent ? NULL : breakpoint->insn;

	if (breakpoint->looked)
		return;
	breakpoint->lent = false;
	breakpoint->looked = true;
	breakpoint->slot = NULL;
	breakpoint->pass = RFS_PASS_STEP;
	breakpoint->doubtful = true;
	if (!insn)
		insn = malloc(sizeof(*insn));
	breakpoint->insn = insn;
	if (!insn)
		return;
	if (breakpoint_decode(breakpoint->space, breakpoint->address, insn)) {
		free(insn);
		breakpoint->insn = NULL;
		return;
	}
	breakpoint->pass = choose_pass(insn);
	breakpoint->doubtful = is_doubtful(insn);
}

/*
 * The program may have written over an int3 of ours on a closed page, which no task executes. What it wrote is its own
 * byte.
 */
static void take_byte(struct rfs_breakpoint *breakpoint)
{
	uint8_t byte;

	if (!rfs_space_peek(breakpoint->space, breakpoint->address, &byte, 1) &&
	    (breakpoint->is_fault || byte != RFS_TRAP_BYTE))
		breakpoint->original = byte;
}

void rfs_breakpoint_renew(struct rfs_breakpoint *breakpoint)
{
	const struct rfs_insn *insn = breakpoint->insn;
	uint8_t bytes[RFS_INSN_MAX];
	size_t n;

	take_byte(breakpoint);
	if (!insn || breakpoint_read_code(breakpoint->space, breakpoint->address, bytes, &n) || n < insn->length ||
	    memcmp(bytes, insn->bytes, insn->length))
		breakpoint->looked = false;
	rfs_breakpoint_look(breakpoint);
}

/* Makes a breakpoint of a closed page one that stops without a fault too. */
static int write_trap(struct rfs_space *space, struct rfs_breakpoint *breakpoint)
{
	const uint8_t trap = RFS_TRAP_BYTE;

	take_byte(breakpoint);
	breakpoint->is_fault = false;
	return rfs_space_poke_all(space, breakpoint->address, &trap, 1);
}

/* Adds a breakpoint to the table. The caller must still write its byte, unless it is guarded. */
static int breakpoint_enter(struct rfs_space *space, rfs_addr address, uint8_t original, struct rfs_breakpoint **out)
{
	int r = rfs_breakpoint_enter(space, address, original, out);

	if (!r)
		(*out)->guarded = rfs_patch_passed(space, address) != 0;
	return r;
}

int rfs_breakpoint_add(struct rfs_task *task, rfs_addr address, struct rfs_breakpoint **out)
{
	struct rfs_space *space = task->space;
	struct rfs_breakpoint *breakpoint = rfs_breakpoint_at(space, address);
	const uint8_t trap = RFS_TRAP_BYTE;
	struct rfs_insn insn;
	int r;

	if (breakpoint) {
		*out = breakpoint;
		if (breakpoint->is_fault)
			return write_trap(space, breakpoint);
		breakpoint->uses++;
		return 0;
	}
	/* a breakpoint must not be inside a patch, so the patch is removed */
	if (rfs_patch_is_inside(space, address))
		rfs_patches_remove(space, address, address + 1);
	r = breakpoint_decode(space, address, &insn);
	if (!r)
		r = breakpoint_enter(space, address, insn.bytes[0], &breakpoint);
	if (r)
		return r;
	r = breakpoint->guarded ? 0 : rfs_space_poke_all(space, address, &trap, 1);
	if (r) {
		rfs_breakpoint_discard(space, breakpoint);
		return r;
	}
	*out = breakpoint;
	return 0;
}

/* How many of the n addresses, counted from the first, are in the same page as the first. */
static size_t count_on_page(const rfs_addr *addresses, size_t n)
{
	size_t i = 1;

	while (i < n && addresses[i] / RFS_PAGE == addresses[0] / RFS_PAGE)
		i++;
	return i;
}

/* Adds breakpoints at addresses that are all in one page. */
static int add_on_page(struct rfs_space *space, const rfs_addr *addresses, size_t n, struct rfs_breakpoint **out)
{
	const rfs_addr page = addresses[0] & ~(RFS_PAGE - 1);
	size_t low = RFS_PAGE, high = 0;
	unsigned char bytes[RFS_PAGE];
	int r = rfs_space_peek(space, page, bytes, sizeof(bytes));

	memset(out, 0, n * sizeof(struct rfs_breakpoint *));
	if (r)
		return 0; /* not mapped */
	for (size_t i = 0; i < n && !r; i++) {
		size_t at = addresses[i] - page;

		out[i] = rfs_breakpoint_at(space, addresses[i]);
		if (out[i] && out[i]->is_fault) {
			out[i]->original = bytes[at];
			out[i]->is_fault = false;
			bytes[at] = RFS_TRAP_BYTE;
			low = at < low ? at : low;
			high = at > high ? at : high;
			continue;
		}
		if (out[i]) {
			out[i]->uses++;
			continue;
		}
		r = breakpoint_enter(space, addresses[i], bytes[at], &out[i]);
		if (r)
			break;
		if (out[i]->guarded)
			continue;
		bytes[at] = RFS_TRAP_BYTE;
		low = at < low ? at : low;
		high = at > high ? at : high;
	}
	if (low <= high && !r)
		r = rfs_space_poke_all(space, page + low, bytes + low, high - low + 1);
	return r;
}

int rfs_breakpoint_add_many(struct rfs_task *task, const rfs_addr *addresses, size_t n, struct rfs_breakpoint **out)
{
	size_t part;

	for (size_t i = 0; i < n; i += part) {
		int r;

		part = count_on_page(addresses + i, n - i);
		r = add_on_page(task->space, addresses + i, part, out + i);
		if (r)
			return r;
	}
	return 0;
}

void rfs_breakpoint_remove(struct rfs_space *space, struct rfs_breakpoint *breakpoint)
{
	int r;

	if (--breakpoint->uses)
		return;
	/* remove the patch too, because otherwise a task could still stop at its tests */
	if (breakpoint->guarded)
		rfs_patches_remove(space, breakpoint->address, breakpoint->address + 1);
	r = rfs_space_poke_all(space, breakpoint->address, &breakpoint->original, 1);
	(void)r; /* this fails only if the memory is gone, and then the breakpoint is gone too */
	rfs_breakpoint_discard(space, breakpoint);
}

rfs_addr rfs_breakpoint_address(const struct rfs_breakpoint *breakpoint)
{
	return breakpoint->address;
}

const struct rfs_insn *rfs_breakpoint_insn(struct rfs_breakpoint *breakpoint)
{
	rfs_breakpoint_look(breakpoint);
	return breakpoint->insn;
}

void rfs_breakpoint_set_data(struct rfs_breakpoint *breakpoint, void *data)
{
	breakpoint->data = data;
}

void *rfs_breakpoint_data(const struct rfs_breakpoint *breakpoint)
{
	return breakpoint->data;
}

size_t rfs_breakpoint_count(const struct rfs_space *space, size_t *stepped)
{
	struct rfs_breakpoint *breakpoint, *next;

	*stepped = 0;
	HASH_ITER (hh, space->code->breakpoints, breakpoint, next) {
		rfs_breakpoint_look(breakpoint);
		*stepped += breakpoint->pass == RFS_PASS_STEP;
	}
	return HASH_COUNT(space->code->breakpoints);
}

int rfs_breakpoints_reserve(struct rfs_task *task)
{
	struct rfs_breakpoint *breakpoint, *next;

	HASH_ITER (hh, task->space->code->breakpoints, breakpoint, next)
		rfs_slot_reserve(task, breakpoint->address);
	return task->state == RFS_TASK_STOPPED ? 0 : -ESRCH;
}

void rfs_breakpoints_prepare(struct rfs_space *space)
{
	struct rfs_breakpoint *breakpoint;

	while (space->code->wanted) {
		breakpoint = space->code->wanted;
		LL_DELETE2(space->code->wanted, breakpoint, next_wanted);
		rfs_breakpoint_look(breakpoint);
		if (breakpoint->pass == RFS_PASS_COPY && !breakpoint->slot && !breakpoint->guarded)
			breakpoint->slot = rfs_slot_get_reserved(space, breakpoint->insn);
	}
}
