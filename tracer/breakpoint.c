/*
 * Both tables here are keyed by one word, and are looked into at every stop and every read: a multiplication (Knuth,
 * The Art of Computer Programming, section 6.4) instead of uthash's own, which costs more than all else in a look-up.
 */
#define HASH_FUNCTION(key, n, hash)                                                                                    \
	do {                                                                                                           \
		uint64_t hash_word;                                                                                    \
		memcpy(&hash_word, key, sizeof(hash_word));                                                            \
		(hash) = (unsigned)(hash_word * 0x9e3779b97f4a7c15ull >> 32);                                          \
	} while (0)

#include "tracer/breakpoint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/memory.h"
#include "tracer/patch.h"
#include "tracer/tracer-priv.h"

static const unsigned char trap_byte = 0xcc;

/* Slots made ahead: far more than hooks and pairs need; if every access has a breakpoint, most are never reached. */
#define READY_MAX 20000

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
 * Whether a task may get to address + 1 without executing address: after an instruction of one byte, and if code jumps
 * over a lock prefix, as the C library does. Then rip - 1 == address alone does not prove a hit.
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
	if (decode(breakpoint->space, breakpoint->address, insn)) {
		free(insn);
		breakpoint->insn = NULL;
		return;
	}
	breakpoint->pass = choose_pass(insn);
	breakpoint->doubtful = is_doubtful(insn);
}

static void breakpoint_free(struct rfs_breakpoint *breakpoint)
{
	if (!breakpoint->lent)
		free(breakpoint->insn);
	free(breakpoint);
}

/* Adds a breakpoint; its byte is not written yet. */
static int enter(struct rfs_space *space, rfs_addr address, uint8_t original, struct rfs_breakpoint **out)
{
	struct rfs_breakpoint *breakpoint = calloc(1, sizeof(*breakpoint));

	if (!breakpoint)
		return -ENOMEM;
	breakpoint->address = address;
	breakpoint->space = space;
	breakpoint->uses = 1;
	breakpoint->original = original;
	breakpoint->guarded = rfs_patch_passed(space, address) != 0;
	if (count_in(space, address)) {
		free(breakpoint);
		return -ENOMEM;
	}
	HASH_ADD(hh, space->breakpoints, address, sizeof(breakpoint->address), breakpoint);
	*out = breakpoint;
	return 0;
}

static void discard(struct rfs_space *space, struct rfs_breakpoint *breakpoint)
{
	HASH_DEL(space->breakpoints, breakpoint);
	count_out(space, breakpoint->address);
	breakpoint_free(breakpoint);
}

int rfs_breakpoint_add(struct rfs_task *task, rfs_addr address, struct rfs_breakpoint **out)
{
	struct rfs_space *space = task->space;
	struct rfs_breakpoint *breakpoint = rfs_breakpoint_at(space, address);
	struct rfs_insn insn;
	int r;

	if (breakpoint) {
		breakpoint->uses++;
		*out = breakpoint;
		return 0;
	}
	/* no planner of patches wants both: then the breakpoint is removed first */
	if (rfs_patch_is_inside(space, address))
		rfs_patches_remove(space, address, address + 1);
	r = decode(space, address, &insn);
	if (!r)
		r = enter(space, address, insn.bytes[0], &breakpoint);
	if (r)
		return r;
	r = breakpoint->guarded ? 0 : rfs_space_poke(space, address, &trap_byte, 1);
	if (r) {
		discard(space, breakpoint);
		return r;
	}
	*out = breakpoint;
	return 0;
}

/* Those of the n addresses, from the first on, that lie in the page of the first. */
static size_t count_on_page(const rfs_addr *addresses, size_t n)
{
	size_t i = 1;

	while (i < n && addresses[i] / RFS_PAGE == addresses[0] / RFS_PAGE)
		i++;
	return i;
}

/* All addresses lie in one page. */
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
		if (out[i]) {
			out[i]->uses++;
			continue;
		}
		r = enter(space, addresses[i], bytes[at], &out[i]);
		if (r)
			break;
		if (out[i]->guarded)
			continue;
		bytes[at] = trap_byte;
		low = at < low ? at : low;
		high = at > high ? at : high;
	}
	if (low <= high && !r)
		r = rfs_space_poke(space, page + low, bytes + low, high - low + 1);
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
	/* no task stops there any more */
	if (breakpoint->guarded)
		rfs_patches_remove(space, breakpoint->address, breakpoint->address + 1);
	r = rfs_space_poke(space, breakpoint->address, &breakpoint->original, 1);
	(void)r; /* fails only if the memory is gone, and the breakpoint with it */
	discard(space, breakpoint);
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
	HASH_ITER (hh, space->breakpoints, breakpoint, next) {
		rfs_breakpoint_look(breakpoint);
		*stepped += breakpoint->pass == RFS_PASS_STEP;
	}
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
	*byte = breakpoint->original;
}

void rfs_breakpoint_hide(const struct rfs_space *space, rfs_addr address, unsigned char *buf, size_t n)
{
	each_in(space, address, n, show_original, buf);
}

static void show_trap(struct rfs_breakpoint *breakpoint, unsigned char *byte)
{
	if (!breakpoint->guarded)
		*byte = trap_byte;
}

void rfs_breakpoint_cover(const struct rfs_space *space, rfs_addr address, unsigned char *buf, size_t n)
{
	each_in(space, address, n, show_trap, buf);
}

void rfs_breakpoint_replace(struct rfs_space *space, rfs_addr address, const unsigned char *buf, size_t n)
{
	struct rfs_breakpoint *breakpoint, *next;

	HASH_ITER (hh, space->breakpoints, breakpoint, next) {
		rfs_addr offset = breakpoint->address - address;

		/* another instruction now, or none: then it is stepped, and the target sees what is wrong with it */
		if (offset < n)
			breakpoint->original = buf[offset];
		if (offset < n || address - breakpoint->address < RFS_INSN_MAX)
			breakpoint->looked = false;
	}
}

void rfs_breakpoint_unguard(struct rfs_space *space, rfs_addr address)
{
	struct rfs_breakpoint *breakpoint = rfs_breakpoint_at(space, address);

	if (breakpoint)
		breakpoint->guarded = false;
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
		if (rfs_space_poke(child, breakpoint->address, &breakpoint->original, 1) == -ESRCH)
			return;
}

int rfs_breakpoints_ready(struct rfs_task *task)
{
	struct rfs_breakpoint *breakpoint, *next;
	size_t made = 0;

	HASH_ITER (hh, task->space->breakpoints, breakpoint, next) {
		if (made++ == READY_MAX)
			break;
		rfs_breakpoint_look(breakpoint);
		if (breakpoint->pass == RFS_PASS_COPY && !breakpoint->slot && !breakpoint->guarded)
			breakpoint->slot = rfs_slot_get(task, breakpoint->insn);
		if (task->state != RFS_TASK_STOPPED)
			return -ESRCH;
	}
	return 0;
}

static int copy_one(const struct rfs_breakpoint *from, struct rfs_space *to)
{
	struct rfs_breakpoint *copy;
	int r = enter(to, from->address, from->original, &copy);

	if (r)
		return r;
	copy->uses = from->uses;
	copy->guarded = from->guarded;
	copy->data = from->data;
	if (!from->looked)
		return 0;
	copy->insn = from->insn;
	copy->lent = true;
	copy->looked = true;
	copy->doubtful = from->doubtful;
	copy->pass = from->pass;
	copy->slot = from->slot ? rfs_slot_find(to, from->address) : NULL;
	return 0;
}

int rfs_breakpoints_copy(const struct rfs_space *from, struct rfs_space *to)
{
	struct rfs_breakpoint *breakpoint, *next;

	HASH_ITER (hh, from->breakpoints, breakpoint, next) {
		int r = copy_one(breakpoint, to);

		if (r)
			return r;
	}
	return 0;
}

void rfs_breakpoints_release(struct rfs_space *space)
{
	rfs_breakpoint_drop(space, 0, ~(rfs_addr)0);
}
