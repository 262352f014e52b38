/* code_cache.c - caches of what the sweep of a module found, and of the plans for its stubs. */
#include "supervisor/access/code_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <uthash.h>

#include "disasm/addr.h"
#include "disasm/elf/elf.h"
#include "disasm/insn/insn.h"
#include "disasm/rewrite/code.h"
#include "disasm/rewrite/plan.h"
#include "supervisor/access/calls/allocators.h"
#include "supervisor/access/calls/lock_calls.h"
#include "supervisor/access/calls/range_call.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"

/*
 * One run has stubs for at most about this many sites of a module. Each takes four microseconds to plan and to write,
 * and 150 bytes. If a module has more sites, each run watches a part of it.
 */
#define SITES_MOST 300000

struct entry {
	const struct rfs_elf *elf; /* key */
	struct rfs_code *code;	   /* NULL: the sweep is not possible */
	struct {
		struct rfs_plan *plan; /* NULL: not made yet, or not possible */
		bool planned;
	} with[RFS_FILTER_PLACES + 1]; /* by filter; caches of functions use the first one */
	UT_hash_handle hh;
};

/*
 * These may be global because they are caches: an entry depends on nothing but its key and the marks of
 * rfs_code_cache_mark_moves().
 */
static struct entry *cache, *allocator_cache, *lock_calls_cache, *rare_cache;
static struct rfs_decoder *decoder; /* of decoder_get(); it remembers what it has decoded */

/* NULL: not possible. */
static struct rfs_decoder *decoder_get(void)
{
	if (!decoder && rfs_decoder_new(&decoder) != 0)
		decoder = NULL;
	return decoder;
}

/* The module's entry, made if needed. *fresh: it is new, so the caller must fill it. */
static struct entry *entry_in(struct entry **entries, const struct rfs_elf *elf, bool *fresh)
{
	struct entry *e;

	HASH_FIND_PTR(*entries, &elf, e);
	*fresh = !e;
	if (*fresh) {
		e = xcalloc(1, sizeof(*e));
		e->elf = elf;
		HASH_ADD_PTR(*entries, elf, e);
	}
	return e;
}

/* The module's entry. NULL: `stop` said to give up. */
static struct entry *entry_until(const struct rfs_elf *elf, const struct rfs_code_stop *stop)
{
	bool fresh;
	struct entry *e = entry_in(&cache, elf, &fresh);
	int error = 0;

	if (fresh && decoder_get())
		error = rfs_code_scan_until(elf, decoder, rfs_range_call_known, stop, &e->code);
	if (error == -ECANCELED) {
		HASH_DEL(cache, e);
		free(e);
		return NULL;
	}
	if (error)
		rfs_warn("cannot decode the code of %s; its memory accesses are not watched", rfs_elf_path(elf));
	return e;
}

static struct entry *code_cache_entry_of(const struct rfs_elf *elf)
{
	return entry_until(elf, NULL);
}

const struct rfs_code *rfs_code_cache_get(const struct rfs_elf *elf)
{
	return code_cache_entry_of(elf)->code;
}

bool rfs_code_cache_read(const struct rfs_elf *elf, const struct rfs_code_stop *stop)
{
	return entry_until(elf, stop) != NULL;
}

unsigned rfs_code_cache_parts(const struct rfs_elf *elf)
{
	const struct rfs_code *code = rfs_code_cache_get(elf);
	const struct rfs_code_site *sites;
	size_t n = code ? rfs_code_sites(code, &sites) : 0;

	return n > SITES_MOST ? (unsigned)(n / SITES_MOST + 1) : 0;
}

void rfs_code_cache_mark_moves(const struct rfs_elf *elf, const rfs_addr *vaddrs, size_t n)
{
	struct entry *e;

	/* most modules have no marks and are not watched, so they must not be swept */
	HASH_FIND_PTR(cache, &elf, e);
	if (!e && n)
		e = code_cache_entry_of(elf);
	if (!e || !e->code || !rfs_code_mark_moves(e->code, vaddrs, n))
		return;
	for (size_t i = 0; i < sizeof(e->with) / sizeof(e->with[0]); i++) {
		if (e->with[i].plan)
			rfs_plan_free(e->with[i].plan); /* it has stubs at atomic moves */
		e->with[i].plan = NULL;
		e->with[i].planned = false;
	}
}

const struct rfs_plan *rfs_plan_cache_get(const struct rfs_elf *elf, enum rfs_stub_filter filter)
{
	const struct rfs_plan_request all = {
		.end = ~(rfs_addr)0, .ledges = true, .call = rfs_range_call_recorded, .filter = filter};
	struct entry *e = code_cache_entry_of(elf);

	if (e->with[filter].planned || !e->code || rfs_code_cache_parts(elf))
		return e->with[filter].plan;
	e->with[filter].planned = true;
	if (decoder_get()) {
		if (rfs_plan_make(elf, decoder, e->code, &all, &e->with[filter].plan) != 0)
			rfs_warn("cannot plan stubs for %s; breakpoints are used for its accesses, which is slower",
				 rfs_elf_path(elf));
	}
	return e->with[filter].plan;
}

const struct rfs_code *rfs_tsc_insns_cache_get(const struct rfs_elf *elf)
{
	bool fresh;
	struct entry *e = entry_in(&rare_cache, elf, &fresh);

	if (fresh && decoder_get()) {
		if (rfs_code_scan_rare(elf, decoder, &e->code))
			e->code = NULL;
	}
	return e->code;
}

/*
 * Finds or makes the cache entry for some functions of a module: where they begin and return, and the plan for stubs
 * there. call: as in struct rfs_plan_request.
 */
static const struct entry *functions_of(struct entry **entries, const struct rfs_elf *elf,
					const struct rfs_code_entry *functions, size_t n,
					bool (*call)(const struct rfs_code_site *site, struct rfs_stub_call *out))
{
	const struct rfs_plan_request all = {.end = ~(rfs_addr)0, .call = call};
	bool fresh;
	struct entry *e = entry_in(entries, elf, &fresh);

	if (fresh && decoder_get()) {
		if (rfs_code_scan_entries(elf, decoder, functions, n, &e->code) != 0 ||
		    rfs_plan_make(elf, decoder, e->code, &all, &e->with[0].plan) != 0)
			rfs_warn("cannot plan stubs for %s; breakpoints are used for calls of %s and similar "
				 "functions, which is slower",
				 rfs_elf_path(elf), functions[0].name);
	}
	return e;
}

const struct rfs_plan *rfs_allocator_cache_get(const struct rfs_elf *elf, const struct rfs_code **code)
{
	const struct rfs_code_entry *functions;
	size_t n = rfs_allocators(&functions);
	const struct entry *e = functions_of(&allocator_cache, elf, functions, n, rfs_allocator_recorded);

	*code = e->code;
	return e->with[0].plan;
}

const struct rfs_plan *rfs_lock_calls_cache_get(const struct rfs_elf *elf)
{
	const struct rfs_code_entry *functions;
	size_t n = rfs_lock_calls(&functions);

	return functions_of(&lock_calls_cache, elf, functions, n, rfs_lock_call_recorded)->with[0].plan;
}

void rfs_code_cache_fill(const struct rfs_elf *elf, bool libc)
{
	const struct rfs_code *code;

	rfs_tsc_insns_cache_get(elf);
	if (!libc)
		return;
	rfs_allocator_cache_get(elf, &code);
	rfs_lock_calls_cache_get(elf);
}
