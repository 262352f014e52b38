#include "tracer/breakpoint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/memory.h"
#include "tracer/tracer-priv.h"

static const unsigned char trap_byte = 0xcc;

struct rfs_breakpoint *rfs_breakpoint_at(const struct rfs_space *space, rfs_addr address)
{
	struct rfs_breakpoint *breakpoint;

	HASH_FIND(hh, space->breakpoints, &address, sizeof(address), breakpoint);
	return breakpoint;
}

static struct rfs_code_page *page_of(const struct rfs_space *space, rfs_addr address)
{
	uint64_t number = address / RFS_PAGE;
	struct rfs_code_page *page;

	HASH_FIND(hh, space->pages, &number, sizeof(number), page);
	return page;
}

static int count_in(struct rfs_space *space, rfs_addr address)
{
	struct rfs_code_page *page = page_of(space, address);

	if (!page) {
		page = calloc(1, sizeof(*page));
		if (!page)
			return -ENOMEM;
		page->number = address / RFS_PAGE;
		HASH_ADD(hh, space->pages, number, sizeof(page->number), page);
	}
	page->breakpoints++;
	return 0;
}

static void count_out(struct rfs_space *space, rfs_addr address)
{
	struct rfs_code_page *page = page_of(space, address);

	if (--page->breakpoints)
		return;
	HASH_DEL(space->pages, page);
	free(page);
}

/* endbr64 (no effect without shadow stacks), nop, and the long nops 0f 1f with or without 66. */
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
		return insn->bytes[0] == trap_byte ? RFS_PASS_TRAP : RFS_PASS_STEP;
	case RFS_FLOW_NEXT:
	case RFS_FLOW_SYSCALL:
		break;
	}
	return insn->cannot_copy ? RFS_PASS_STEP : RFS_PASS_COPY;
}

/*
 * Whether a task may get to address + 1 without executing address: behind an instruction of one byte, and where code
 * jumps over a lock prefix, as the C library does. Then rip - 1 == address alone is no proof of a hit.
 */
static bool is_doubtful(const struct rfs_insn *insn)
{
	return insn->length == 1 || insn->bytes[0] == 0xf0;
}

/* Reads up to RFS_INSN_MAX bytes; fewer before the end of the mapping. 0, -EFAULT, -ESRCH. */
static int read_code(struct rfs_space *space, rfs_addr address, uint8_t *bytes, size_t *n)
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

static int decode(struct rfs_space *space, rfs_addr address, struct rfs_insn *out)
{
	uint8_t bytes[RFS_INSN_MAX];
	size_t n;
	int r = read_code(space, address, bytes, &n);

	return r ? r : rfs_insn_decode(space->tracer->decoder, bytes, n, address, out);
}

int rfs_breakpoint_add(struct rfs_task *task, rfs_addr address, struct rfs_breakpoint **out)
{
	struct rfs_space *space = task->space;
	struct rfs_breakpoint *breakpoint = rfs_breakpoint_at(space, address);
	int r;

	if (breakpoint) {
		breakpoint->uses++;
		*out = breakpoint;
		return 0;
	}
	breakpoint = calloc(1, sizeof(*breakpoint));
	if (!breakpoint)
		return -ENOMEM;
	r = decode(space, address, &breakpoint->insn);
	if (r)
		goto out_free;
	breakpoint->address = address;
	breakpoint->uses = 1;
	breakpoint->pass = choose_pass(&breakpoint->insn);
	breakpoint->doubtful = is_doubtful(&breakpoint->insn);
	r = count_in(space, address);
	if (r)
		goto out_free;
	r = rfs_space_poke(space, address, &trap_byte, 1);
	if (r)
		goto out_count;
	HASH_ADD(hh, space->breakpoints, address, sizeof(breakpoint->address), breakpoint);
	*out = breakpoint;
	return 0;
out_count:
	count_out(space, address);
out_free:
	free(breakpoint);
	return r;
}

static void discard(struct rfs_space *space, struct rfs_breakpoint *breakpoint)
{
	HASH_DEL(space->breakpoints, breakpoint);
	count_out(space, breakpoint->address);
	free(breakpoint);
}

void rfs_breakpoint_remove(struct rfs_space *space, struct rfs_breakpoint *breakpoint)
{
	int r;

	if (--breakpoint->uses)
		return;
	r = rfs_space_poke(space, breakpoint->address, breakpoint->insn.bytes, 1);
	(void)r; /* fails only where the memory is gone, and the breakpoint with it */
	discard(space, breakpoint);
}

rfs_addr rfs_breakpoint_address(const struct rfs_breakpoint *breakpoint)
{
	return breakpoint->address;
}

const struct rfs_insn *rfs_breakpoint_insn(const struct rfs_breakpoint *breakpoint)
{
	return &breakpoint->insn;
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
	HASH_ITER (hh, space->breakpoints, breakpoint, next)
		*stepped += breakpoint->pass == RFS_PASS_STEP;
	return HASH_COUNT(space->breakpoints);
}

bool rfs_breakpoint_near(const struct rfs_space *space, rfs_addr address, size_t n)
{
	rfs_addr last = (address + n - 1) / RFS_PAGE;

	if (!space->pages || !n)
		return false;
	/* more pages than have breakpoints: a look at the breakpoints themselves is the cheaper one */
	if (last - address / RFS_PAGE >= HASH_COUNT(space->pages))
		return true;
	for (rfs_addr page = address / RFS_PAGE; page <= last; page++)
		if (page_of(space, page * RFS_PAGE))
			return true;
	return false;
}

/* Calls f for every breakpoint in [address, address + n), with its byte's place in that range. */
static void each_in(const struct rfs_space *space, rfs_addr address, size_t n,
		    void (*f)(struct rfs_breakpoint *breakpoint, unsigned char *byte), unsigned char *buf)
{
	struct rfs_breakpoint *breakpoint, *next;

	if (!rfs_breakpoint_near(space, address, n))
		return;
	if (n < HASH_COUNT(space->breakpoints)) {
		for (size_t i = 0; i < n; i++) {
			breakpoint = rfs_breakpoint_at(space, address + i);
			if (breakpoint)
				f(breakpoint, buf + i);
		}
		return;
	}
	HASH_ITER (hh, space->breakpoints, breakpoint, next)
		if (breakpoint->address - address < n)
			f(breakpoint, buf + (breakpoint->address - address));
}

static void show_original(struct rfs_breakpoint *breakpoint, unsigned char *byte)
{
	*byte = breakpoint->insn.bytes[0];
}

void rfs_breakpoint_hide(const struct rfs_space *space, rfs_addr address, unsigned char *buf, size_t n)
{
	each_in(space, address, n, show_original, buf);
}

static void show_trap(struct rfs_breakpoint *breakpoint, unsigned char *byte)
{
	(void)breakpoint;
	*byte = trap_byte;
}

void rfs_breakpoint_cover(const struct rfs_space *space, rfs_addr address, unsigned char *buf, size_t n)
{
	each_in(space, address, n, show_trap, buf);
}

/* The instruction is another one now, or none: then it is stepped, and the target sees what is wrong with it. */
static void take_over(struct rfs_space *space, struct rfs_breakpoint *breakpoint, uint8_t byte)
{
	struct rfs_insn insn;

	breakpoint->insn.bytes[0] = byte;
	breakpoint->slot = NULL;
	breakpoint->pass = RFS_PASS_STEP;
	breakpoint->doubtful = true;
	if (decode(space, breakpoint->address, &insn))
		return;
	breakpoint->insn = insn;
	breakpoint->pass = choose_pass(&insn);
}

void rfs_breakpoint_replace(struct rfs_space *space, rfs_addr address, const unsigned char *buf, size_t n)
{
	struct rfs_breakpoint *breakpoint, *next;

	HASH_ITER (hh, space->breakpoints, breakpoint, next) {
		rfs_addr offset = breakpoint->address - address;

		if (offset < n)
			take_over(space, breakpoint, buf[offset]);
		else if (address - breakpoint->address < breakpoint->insn.length)
			take_over(space, breakpoint, breakpoint->insn.bytes[0]);
	}
}

void rfs_breakpoint_drop(struct rfs_space *space, rfs_addr start, rfs_addr end)
{
	struct rfs_breakpoint *breakpoint, *next;

	HASH_ITER (hh, space->breakpoints, breakpoint, next)
		if (breakpoint->address >= start && breakpoint->address < end)
			discard(space, breakpoint);
}

void rfs_breakpoint_uncover(const struct rfs_space *space, struct rfs_space *child)
{
	struct rfs_breakpoint *breakpoint, *next;

	HASH_ITER (hh, space->breakpoints, breakpoint, next)
		if (rfs_space_poke(child, breakpoint->address, breakpoint->insn.bytes, 1) == -ESRCH)
			return;
}

void rfs_breakpoints_release(struct rfs_space *space)
{
	rfs_breakpoint_drop(space, 0, ~(rfs_addr)0);
}
