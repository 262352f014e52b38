/*
 * guard_heap.c - reads what the guard heap (supervisor/generate/driver/guard.c) remembers of its blocks. It is in the
 * target's memory, so no stop is necessary when a block is allocated or freed.
 */
#include "supervisor/state/findings/guard_heap.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "disasm/addr.h"
#include "disasm/elf/elf.h"
#include "supervisor/record/bad_block.h"
#include "supervisor/record/run_result.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/findings/evidence.h"
#include "supervisor/symbols/place.h"

/* As in guard.c. */
#define PAGE UINT64_C(4096)
#define PAGES (UINT64_C(1) << 22)
#define BLOCK_PAGES 257 /* the largest block and the page behind it */

struct info {
	uint64_t region, places;
};

struct place {
	uint64_t allocated, freed, size;
};

static bool is_guard(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strcmp(slash ? slash + 1 : path, "rfsup-guard.so") == 0;
}

static bool read_info(const struct rfs_run *run, struct info *out)
{
	for (size_t i = 0; i < run->n_modules; i++) {
		const struct rfs_module_info *info = run->modules[i];
		rfs_addr at;

		if (!info->gone && is_guard(info->path) && rfs_elf_symbol(info->elf, "rfs_guard_info", &at, NULL))
			return rfs_peek(run, info->bias + at, out, sizeof(*out)) && out->region && out->places;
	}
	return false;
}

/* A return address is behind the call. */
static void guard_heap_set_place(const struct rfs_run *run, uint64_t back, struct rfs_place *out)
{
	if (!back)
		return;
	rfs_place_of(run, back - 1, out);
	rfs_place_own(out);
}

void rfs_guard_heap_fault(struct rfs_run *run, const siginfo_t *signal)
{
	const rfs_addr address = (rfs_addr)(uintptr_t)signal->si_addr;
	struct rfs_bad_block *bad = &run->result->bad_block;
	struct place place = {0};
	struct info info;
	uint64_t page, end;

	rfs_bad_block_release(bad);
	if (signal->si_signo != SIGSEGV || signal->si_code <= 0 || !read_info(run, &info) ||
	    address - info.region >= PAGES * PAGE)
		return;
	page = (address - info.region) / PAGE;
	for (uint64_t i = 0; i <= BLOCK_PAGES && i <= page && !place.size; i++) {
		if (!rfs_peek(run, info.places + (page - i) * sizeof(place), &place, sizeof(place)))
			return;
		if (place.size)
			page -= i;
	}
	if (!place.size--)
		return;
	/* the block ends where its pages end, but for its alignment */
	end = info.region + (page + ((place.size ? place.size : 1) + PAGE - 1) / PAGE) * PAGE;
	if (!place.freed && address < end)
		return; /* a page that the program itself has closed */
	*bad = (struct rfs_bad_block){.found = true, .freed = place.freed != 0, .size = place.size};
	if (address >= end)
		bad->freed = false;
	guard_heap_set_place(run, place.allocated, &bad->at[0]);
	guard_heap_set_place(run, place.freed, &bad->at[1]);
}
