#include "supervisor/code_cache.h"

#include <uthash.h>

#include "supervisor/alloc.h"
#include "supervisor/error.h"
#include "supervisor/range_call.h"

struct entry {
	const struct rfs_elf *elf; /* key */
	struct rfs_code *code;	   /* NULL: not possible */
	UT_hash_handle hh;
};

/* A cache: what it holds follows from its keys alone. */
static struct entry *cache;

const struct rfs_code *rfs_code_cache_get(const struct rfs_elf *elf)
{
	struct rfs_decoder *decoder;
	struct entry *e;

	HASH_FIND_PTR(cache, &elf, e);
	if (e)
		return e->code;
	e = xcalloc(1, sizeof(*e));
	e->elf = elf;
	if (rfs_decoder_new(&decoder) == 0) {
		if (rfs_code_scan(elf, decoder, rfs_range_call_known, &e->code) != 0)
			rfs_warn("cannot decode %s: its accesses are not watched", rfs_elf_path(elf));
		rfs_decoder_free(decoder);
	}
	HASH_ADD_PTR(cache, elf, e);
	return e->code;
}
