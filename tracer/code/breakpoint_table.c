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
/* The chains of the tables are kept shorter than those of other tables: each element is in another cache line. */
#define HASH_BKT_CAPACITY_THRESH 2u

#include "tracer/code/breakpoint_table-priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

#include "disasm/addr.h"
#include "disasm/insn/insn.h"
#include "tracer/breakpoint.h"
#include "tracer/code/space_code-priv.h"
#include "tracer/places/slot-priv.h"
#include "tracer/process/code_bytes-priv.h"
#include "tracer/process/space-priv.h"

/* A page that has breakpoints, and how many. A read of any other page costs only one look-up. */
struct rfs_code_page {
	uint64_t number;
	size_t breakpoints;
	UT_hash_handle hh;
};

/* The breakpoint in the space's own table, which may be one that was removed. */
static struct rfs_breakpoint *own_entry(const struct rfs_space *space, rfs_addr address)
{
	struct rfs_breakpoint *breakpoint;

	HASH_FIND(hh, space->code->breakpoints, &address, sizeof(address), breakpoint);
	return breakpoint;
}

/* In a copy: the original's breakpoint, whatever the copy did to it. */
static struct rfs_breakpoint *lent_entry(const struct rfs_space *space, rfs_addr address)
{
	struct rfs_breakpoint *breakpoint;

	if (!space->code->lent_breakpoints)
		return NULL;
	HASH_FIND(hh, space->code->lent_breakpoints, &address, sizeof(address), breakpoint);
	return breakpoint;
}

/* The breakpoint at address, for reading only: a copy may share it with its original. */
static const struct rfs_breakpoint *breakpoint_table_look_up(const struct rfs_space *space, rfs_addr address)
{
	const struct rfs_breakpoint *breakpoint = own_entry(space, address);

	if (breakpoint)
		return breakpoint->uses ? breakpoint : NULL;
	return lent_entry(space, address);
}

static bool is_counted(const struct rfs_code_page *pages, uint64_t number)
{
	const struct rfs_code_page *page;

	HASH_FIND(hh, pages, &number, sizeof(number), page);
	return page != NULL;
}

static int count_in(struct rfs_space *space, rfs_addr address)
{
	uint64_t number = address / RFS_PAGE;
	struct rfs_code_page *page;

	HASH_FIND(hh, space->code->pages, &number, sizeof(number), page);
	if (!page) {
		page = calloc(1, sizeof(*page));
		if (!page)
			return -ENOMEM;
		page->number = number;
		HASH_ADD(hh, space->code->pages, number, sizeof(page->number), page);
	}
	page->breakpoints++;
	return 0;
}

static void count_out(struct rfs_space *space, rfs_addr address)
{
	uint64_t number = address / RFS_PAGE;
	struct rfs_code_page *page;

	HASH_FIND(hh, space->code->pages, &number, sizeof(number), page);
	if (--page->breakpoints)
		return;
	HASH_DEL(space->code->pages, page);
	free(page);
}

static void free_insn(struct rfs_breakpoint *breakpoint)
{
	if (!breakpoint->lent)
		free(breakpoint->insn);
	breakpoint->insn = NULL;
	breakpoint->lent = false;
}

/* Adds an empty entry to the space's own table. NULL: memory is exhausted. */
static struct rfs_breakpoint *new_entry(struct rfs_space *space, rfs_addr address)
{
	struct rfs_breakpoint *breakpoint = calloc(1, sizeof(*breakpoint));

	if (!breakpoint)
		return NULL;
	breakpoint->address = address;
	breakpoint->space = space->root ? space->root : space; /* it may outlive a space that has a root */
	HASH_ADD(hh, space->code->breakpoints, address, sizeof(breakpoint->address), breakpoint);
	return breakpoint;
}

/* A copy is about to use or change this breakpoint of its original, so it gets its own one. */
static struct rfs_breakpoint *breakpoint_table_take(struct rfs_space *space, struct rfs_breakpoint *from)
{
	struct rfs_breakpoint *taken = new_entry(space, from->address);

	/* uthash also ends the program if memory is exhausted */
	if (!taken)
		abort();
	taken->uses = from->uses;
	taken->original = from->original;
	taken->guarded = from->guarded;
	taken->is_fault = from->is_fault;
	taken->data = from->data;
	if (!from->looked)
		return taken;
	taken->insn = from->insn;
	taken->lent = true;
	taken->looked = true;
	taken->doubtful = from->doubtful;
	taken->pass = from->pass;
	taken->slot = from->slot;
	return taken;
}

struct rfs_breakpoint *rfs_breakpoint_at(struct rfs_space *space, rfs_addr address)
{
	struct rfs_breakpoint *breakpoint = own_entry(space, address);

	if (breakpoint)
		return breakpoint->uses ? breakpoint : NULL;
	breakpoint = lent_entry(space, address);
	return breakpoint ? breakpoint_table_take(space, breakpoint) : NULL;
}

int rfs_breakpoint_enter(struct rfs_space *space, rfs_addr address, uint8_t original, struct rfs_breakpoint **out)
{
	const bool lent = lent_entry(space, address) != NULL;
	/* the entry that hides a breakpoint of the original */
	struct rfs_breakpoint *breakpoint = lent ? own_entry(space, address) : NULL;
	int r = lent ? 0 : count_in(space, address);

	if (r)
		return r;
	if (!breakpoint)
		breakpoint = new_entry(space, address);
	if (!breakpoint) {
		if (!lent)
			count_out(space, address);
		return -ENOMEM;
	}
	breakpoint->uses = 1;
	breakpoint->original = original;
	*out = breakpoint;
	return 0;
}

void rfs_breakpoint_discard(struct rfs_space *space, struct rfs_breakpoint *breakpoint)
{
	free_insn(breakpoint);
	if (lent_entry(space, breakpoint->address)) {
		/* an entry without uses hides that of the original */
		breakpoint->uses = 0;
		breakpoint->looked = breakpoint->guarded = breakpoint->is_fault = false;
		breakpoint->slot = NULL;
		breakpoint->data = NULL;
		return;
	}
	HASH_DEL(space->code->breakpoints, breakpoint);
	count_out(space, breakpoint->address);
	free(breakpoint);
}

bool rfs_breakpoint_near(const struct rfs_space *space, rfs_addr address, size_t n)
{
	const size_t pages = HASH_COUNT(space->code->pages) + HASH_COUNT(space->code->lent_pages);
	rfs_addr last = (address + n - 1) / RFS_PAGE;

	if (!pages || !n)
		return false;
	/* to look up so many pages would cost more than to go through all breakpoints, so do not check */
	if (last - address / RFS_PAGE >= pages)
		return true;
	for (rfs_addr page = address / RFS_PAGE; page <= last; page++)
		if (is_counted(space->code->pages, page) || is_counted(space->code->lent_pages, page))
			return true;
	return false;
}

/* Calls f for every breakpoint in [address, address + n). */
static void each_in(const struct rfs_space *space, rfs_addr address, rfs_addr n,
		    void (*f)(const struct rfs_breakpoint *breakpoint, void *arg), void *arg)
{
	const struct rfs_breakpoint *breakpoint, *next;

	if (n < HASH_COUNT(space->code->breakpoints) + HASH_COUNT(space->code->lent_breakpoints)) {
		for (rfs_addr i = 0; i < n; i++) {
			breakpoint = breakpoint_table_look_up(space, address + i);
			if (breakpoint)
				f(breakpoint, arg);
		}
		return;
	}
	/* f may remove the breakpoint, and may take one of the original into the space's own table */
	HASH_ITER (hh, space->code->breakpoints, breakpoint, next)
		if (breakpoint->uses && breakpoint->address - address < n)
			f(breakpoint, arg);
	HASH_ITER (hh, space->code->lent_breakpoints, breakpoint, next)
		if (breakpoint->address - address < n && !own_entry(space, breakpoint->address))
			f(breakpoint, arg);
}

/* A buffer with the bytes of the target that begin at address. */
struct piece {
	rfs_addr address;
	unsigned char *buf;
};

static void show_original(const struct rfs_breakpoint *breakpoint, void *arg)
{
	const struct piece *piece = arg;

	if (!breakpoint->is_fault)
		piece->buf[breakpoint->address - piece->address] = breakpoint->original;
}

void rfs_breakpoint_hide(const struct rfs_space *space, rfs_addr address, unsigned char *buf, size_t n)
{
	struct piece piece = {address, buf};

	if (rfs_breakpoint_near(space, address, n))
		each_in(space, address, n, show_original, &piece);
}

static void show_trap(const struct rfs_breakpoint *breakpoint, void *arg)
{
	const struct piece *piece = arg;

	if (!breakpoint->guarded && !breakpoint->is_fault)
		piece->buf[breakpoint->address - piece->address] = RFS_TRAP_BYTE;
}

void rfs_breakpoint_cover(const struct rfs_space *space, rfs_addr address, unsigned char *buf, size_t n)
{
	struct piece piece = {address, buf};

	if (rfs_breakpoint_near(space, address, n))
		each_in(space, address, n, show_trap, &piece);
}

/* The bytes that were written to a space. */
struct written {
	struct rfs_space *space;
	rfs_addr address;
	const unsigned char *buf;
	size_t n;
};

static void breakpoint_table_replace(const struct rfs_breakpoint *at, void *arg)
{
	const struct written *written = arg;
	struct rfs_breakpoint *breakpoint = rfs_breakpoint_at(written->space, at->address);
	rfs_addr offset = at->address - written->address;

	/* the instruction may have changed, so decode it again. If it is invalid now, it is stepped, and the target
	 * gets the fault */
	if (offset < written->n)
		breakpoint->original = written->buf[offset];
	breakpoint->looked = false;
}

void rfs_breakpoint_replace(struct rfs_space *space, rfs_addr address, const unsigned char *buf, size_t n)
{
	const rfs_addr before = address < RFS_INSN_MAX ? address : RFS_INSN_MAX - 1;
	struct written written = {space, address, buf, n};

	each_in(space, address - before, before + n, breakpoint_table_replace, &written);
}

void rfs_breakpoint_unguard(struct rfs_space *space, rfs_addr address)
{
	struct rfs_breakpoint *breakpoint = rfs_breakpoint_at(space, address);

	if (breakpoint)
		breakpoint->guarded = false;
}

void rfs_breakpoint_guard(struct rfs_space *space, rfs_addr address)
{
	struct rfs_breakpoint *breakpoint = rfs_breakpoint_at(space, address);

	if (breakpoint)
		breakpoint->guarded = true;
}

static void drop(const struct rfs_breakpoint *breakpoint, void *arg)
{
	struct rfs_space *space = arg;

	rfs_breakpoint_discard(space, rfs_breakpoint_at(space, breakpoint->address));
}

void rfs_breakpoint_drop(struct rfs_space *space, rfs_addr start, rfs_addr end)
{
	each_in(space, start, end - start, drop, space);
}

struct uncovered {
	struct rfs_space *child;
	bool gone;
};

static void breakpoint_table_uncover(const struct rfs_breakpoint *breakpoint, void *arg)
{
	struct uncovered *uncovered = arg;

	if (!uncovered->gone && !breakpoint->is_fault)
		uncovered->gone =
			rfs_space_poke(uncovered->child, breakpoint->address, &breakpoint->original, 1) == -ESRCH;
}

void rfs_breakpoint_uncover(const struct rfs_space *space, struct rfs_space *child)
{
	struct uncovered uncovered = {.child = child};

	each_in(space, 0, ~(rfs_addr)0, breakpoint_table_uncover, &uncovered);
}

void rfs_breakpoints_lend(const struct rfs_space *from, struct rfs_space *to)
{
	to->code->lent_breakpoints = from->code->breakpoints;
	to->code->lent_pages = from->code->pages;
}

/* If this breakpoint of a copy had to be prepared, the original will prepare its own one for the next copies. */
static void tell_original(const struct rfs_breakpoint *breakpoint)
{
	struct rfs_breakpoint *from = lent_entry(breakpoint->space, breakpoint->address);

	if (!from || from->wanted || !breakpoint->looked || (breakpoint->lent && breakpoint->slot == from->slot))
		return;
	from->wanted = true;
	LL_PREPEND2(from->space->code->wanted, from, next_wanted);
}

void rfs_breakpoints_release(struct rfs_space *space)
{
	struct rfs_breakpoint *breakpoint, *next;
	struct rfs_code_page *page, *next_page;

	HASH_ITER (hh, space->code->breakpoints, breakpoint, next) {
		HASH_DEL(space->code->breakpoints, breakpoint);
		tell_original(breakpoint);
		free_insn(breakpoint);
		free(breakpoint);
	}
	HASH_ITER (hh, space->code->pages, page, next_page) {
		HASH_DEL(space->code->pages, page);
		free(page);
	}
	space->code->lent_breakpoints = NULL;
	space->code->lent_pages = NULL;
	space->code->wanted = NULL;
}
