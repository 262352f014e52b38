/*
 * atomic_moves.c - collects the moves of the modules that runs have loaded, and puts them into specs.
 * symbols/nature.c recognises them.
 */
#include "supervisor/campaign/executions/atomic_moves.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/elf/elf.h"
#include "disasm/rewrite/code.h"
#include "supervisor/access/code_cache.h"
#include "supervisor/base/alloc.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/symbols/nature.h"
#include "supervisor/symbols/symbolize.h"

static bool was_added(const struct rfs_atomic_moves *moves, const char *module)
{
	for (size_t i = 0; i < moves->n_modules; i++)
		if (strcmp(moves->modules[i], module) == 0)
			return true;
	return false;
}

/*
 * Finds the atomic moves of a module. The caller frees the array. *whole: false if `stop` ended the search.
 */
static rfs_addr *atomic_moves_find(struct rfs_symbols *symbols, const char *module, const struct rfs_elf *elf,
				   const struct rfs_code *code, const struct rfs_code_stop *stop, size_t *n,
				   bool *whole)
{
	const struct rfs_code_site *sites;
	size_t n_sites = rfs_code_sites(code, &sites);
	rfs_addr *found = xcalloc(n_sites + 1, sizeof(*found)), next = 0;
	bool may = false;

	*n = 0;
	*whole = true;
	for (size_t i = 0; i < n_sites && *whole; i++) {
		if (sites[i].vaddr >= next) {
			const struct rfs_function *function = rfs_elf_function_at(elf, sites[i].vaddr);

			*whole = !stop->asks(stop->arg);
			next = function ? function->end : sites[i].vaddr + 1;
			may = rfs_symbols_may_move(symbols, module, function);
		}
		if (may && sites[i].kind == RFS_CODE_ACCESS &&
		    rfs_symbols_move(symbols, module, sites[i].vaddr) == RFS_MOVE_ATOMIC)
			found[(*n)++] = sites[i].vaddr;
	}
	return found;
}

bool rfs_atomic_moves_add(struct rfs_atomic_moves *moves, struct rfs_symbols *symbols, const char *module,
			  const struct rfs_code_stop *stop)
{
	const struct rfs_elf *elf;
	const struct rfs_code *code;
	struct rfs_site_set *list;
	rfs_addr *found;
	bool whole;
	size_t n;

	if (was_added(moves, module))
		return true;
	moves->modules = xreallocarray(moves->modules, moves->n_modules + 1, sizeof(*moves->modules));
	moves->modules[moves->n_modules++] = xstrdup(module);
	elf = rfs_symbols_elf(symbols, module);
	code = elf ? rfs_code_cache_get(elf) : NULL;
	if (!code)
		return true;
	found = atomic_moves_find(symbols, module, elf, code, stop, &n, &whole);
	if (n) {
		list = xcalloc(1, sizeof(*list));
		if (moves->n_lists)
			rfs_site_set_join(list, moves->lists[moves->n_lists - 1]);
		for (size_t i = 0; i < n; i++)
			rfs_site_set_add(list, module, found[i]);
		moves->lists = xreallocarray(moves->lists, moves->n_lists + 1, sizeof(struct rfs_site_set *));
		moves->lists[moves->n_lists++] = list;
		/* the jobs are forked from this process, and inherit the marks */
		rfs_code_cache_mark_moves(elf, found, n);
	}
	free(found);
	return whole;
}

void rfs_atomic_moves_give(const struct rfs_atomic_moves *moves, struct rfs_run_sites *sites)
{
	sites->moves = moves->n_lists ? moves->lists[moves->n_lists - 1]->sites : NULL;
	sites->n_moves = moves->n_lists ? moves->lists[moves->n_lists - 1]->n : 0;
}

void rfs_atomic_moves_release(struct rfs_atomic_moves *moves)
{
	for (size_t i = 0; i < moves->n_lists; i++) {
		rfs_site_set_release(moves->lists[i]);
		free(moves->lists[i]);
	}
	for (size_t i = 0; i < moves->n_modules; i++)
		free(moves->modules[i]);
	free(moves->lists);
	free(moves->modules);
	*moves = (struct rfs_atomic_moves){0};
}
