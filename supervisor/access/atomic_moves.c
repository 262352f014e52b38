#include "supervisor/access/atomic_moves.h"

#include <uthash.h>

#include "disasm/dwarf/dwarf.h"
#include "disasm/elf/elf.h"
#include "disasm/rewrite/code.h"
#include "supervisor/access/code_cache.h"
#include "supervisor/base/alloc.h"

struct moves {
	const struct rfs_elf *elf; /* key */
	const struct rfs_code_site *sites;
	size_t n;
	bool *atomic; /* by index of sites */
	UT_hash_handle hh;
};

/* A cache: its contents depend on its keys only. */
static struct moves *cache;

static struct moves *moves_of(const struct rfs_elf *elf)
{
	struct moves *moves;

	HASH_FIND_PTR(cache, &elf, moves);
	return moves;
}

void rfs_atomic_moves_find(const struct rfs_elf *elf, const struct rfs_dwarf *dwarf)
{
	const struct rfs_code *code = rfs_code_cache_get(elf);
	struct moves *moves;

	if (moves_of(elf))
		return;
	moves = xcalloc(1, sizeof(*moves));
	moves->elf = elf;
	HASH_ADD_PTR(cache, elf, moves);
	moves->n = code && dwarf ? rfs_code_sites(code, &moves->sites) : 0;
	moves->atomic = xcalloc(moves->n + 1, sizeof(*moves->atomic));
	for (size_t i = 0; i < moves->n; i++)
		moves->atomic[i] =
			moves->sites[i].kind == RFS_CODE_ACCESS && rfs_dwarf_in_atomic(dwarf, moves->sites[i].vaddr);
}

static struct moves *read_moves(const struct rfs_elf *elf)
{
	struct rfs_dwarf *dwarf;
	char why[512];

	/* what is damaged is reported where the same file is read for names */
	if (rfs_dwarf_open(rfs_elf_path(elf), &dwarf, why, sizeof(why)))
		dwarf = NULL;
	rfs_atomic_moves_find(elf, dwarf);
	if (dwarf)
		rfs_dwarf_free(dwarf);
	return moves_of(elf);
}

bool rfs_is_atomic_move(const struct rfs_elf *elf, const struct rfs_code_site *site)
{
	const struct moves *moves = moves_of(elf);

	if (!moves)
		moves = read_moves(elf);
	return site >= moves->sites && site < moves->sites + moves->n && moves->atomic[site - moves->sites];
}
