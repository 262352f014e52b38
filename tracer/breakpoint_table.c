/*
 * The breakpoints of a space, by address, and the program's bytes under them. breakpoint.c sets and removes
 * breakpoints; the files about patches need only this file.
 *
 * The tables of breakpoints and of pages have keys of one word, and are searched at every stop and every read.
 * Therefore their hash function is a multiplication (Knuth, The Art of Computer Programming, section 6.4). The function
 * of uthash would cost more than the rest of a look-up.
 */
#define HASH_FUNCTION(key, n, hash)                                                                                    \
	do {                                                                                                           \
		uint64_t hash_word;                                                                                    \
		memcpy(&hash_word, key, sizeof(hash_word));                                                            \
		(hash) = (unsigned)(hash_word * 0x9e3779b97f4a7c15ull >> 32);                                          \
	} while (0)

#include "tracer/breakpoint_table-priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "disasm/addr.h"
#include "disasm/insn/insn.h"
#include "tracer/breakpoint.h"
#include "tracer/code-priv.h"
#include "tracer/slot-priv.h"
#include "tracer/space-priv.h"

/* A page that has breakpoints, and how many. A read of any other page costs only one look-up. */
struct rfs_code_page {
	uint64_t number;
	size_t breakpoints;
	UT_hash_handle hh;
};

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

static void breakpoint_free(struct rfs_breakpoint *breakpoint)
{
	if (!breakpoint->lent)
		free(breakpoint->insn);
	free(breakpoint);
}

int rfs_breakpoint_enter(struct rfs_space *space, rfs_addr address, uint8_t original, struct rfs_breakpoint **out)
{
	struct rfs_breakpoint *breakpoint = calloc(1, sizeof(*breakpoint));

	if (!breakpoint)
		return -ENOMEM;
	breakpoint->address = address;
	breakpoint->space = space;
	breakpoint->uses = 1;
	breakpoint->original = original;
	if (count_in(space, address)) {
		free(breakpoint);
		return -ENOMEM;
	}
	HASH_ADD(hh, space->breakpoints, address, sizeof(breakpoint->address), breakpoint);
	*out = breakpoint;
	return 0;
}

void rfs_breakpoint_discard(struct rfs_space *space, struct rfs_breakpoint *breakpoint)
{
	HASH_DEL(space->breakpoints, breakpoint);
	count_out(space, breakpoint->address);
	breakpoint_free(breakpoint);
}

bool rfs_breakpoint_near(const struct rfs_space *space, rfs_addr address, size_t n)
{
	rfs_addr last = (address + n - 1) / RFS_PAGE;

	if (!space->pages || !n)
		return false;
	/* to look up so many pages would cost more than to go through all breakpoints, so do not check */
	if (last - address / RFS_PAGE >= HASH_COUNT(space->pages))
		return true;
	for (rfs_addr page = address / RFS_PAGE; page <= last; page++)
		if (page_of(space, page * RFS_PAGE))
			return true;
	return false;
}

/* Calls f for every breakpoint in [address, address + n), with its byte in buf, which has the bytes of that range. */
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
		*byte = RFS_TRAP_BYTE;
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

		/* the instruction may have changed, so decode it again. If it is invalid now, it is stepped, and the
		 * target gets the fault */
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
			rfs_breakpoint_discard(space, breakpoint);
}

void rfs_breakpoint_uncover(const struct rfs_space *space, struct rfs_space *child)
{
	struct rfs_breakpoint *breakpoint, *next;

	HASH_ITER (hh, space->breakpoints, breakpoint, next)
		if (rfs_space_poke(child, breakpoint->address, &breakpoint->original, 1) == -ESRCH)
			return;
}

static int copy_one(const struct rfs_breakpoint *from, struct rfs_space *to)
{
	struct rfs_breakpoint *copy;
	int r = rfs_breakpoint_enter(to, from->address, from->original, &copy);

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
