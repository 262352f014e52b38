/* match_index.c - the functions and instructions of the program's modules, for match.c. */
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "disasm/dwarf/dwarf.h"
#include "disasm/elf/elf.h"
#include "disasm/insn/insn.h"
#include "disasm/rewrite/code.h"
#include "supervisor/access/code_cache.h"
#include "supervisor/base/alloc.h"
#include "supervisor/campaign/predicted/cycle_names.h"
#include "supervisor/campaign/triage/match-priv.h"
#include "supervisor/import/function_name.h"
#include "supervisor/symbols/symbolize.h"

/* Functions whose names have the same last component. */
struct rfs_match_name {
	const char *last; /* key; borrowed from the first function */
	struct rfs_match_function *functions;
	size_t n;
	UT_hash_handle hh;
};

struct indexing {
	struct rfs_match *match;
	size_t module;
};

static void match_index_add_function(void *arg, const char *symbol, rfs_addr vaddr, uint64_t size,
				     enum rfs_symbol_type type)
{
	struct indexing *indexing = arg;
	struct rfs_match *match = indexing->match;
	const struct rfs_function *function;
	struct rfs_match_name *entry;
	char *demangled, *bare;
	const char *last;

	if (type != RFS_SYMBOL_FUNCTION && type != RFS_SYMBOL_IFUNC)
		return;
	function = rfs_elf_function_at(match->modules[indexing->module].elf, vaddr);
	if (!function)
		return;
	demangled = symbol[0] == '_' ? rfs_demangle(symbol) : NULL;
	bare = rfs_function_bare_name(demangled ? demangled : symbol);
	free(demangled);
	last = rfs_function_last_name(bare);
	HASH_FIND_STR(match->names, last, entry);
	if (!entry) {
		entry = xcalloc(1, sizeof(*entry));
		entry->last = last;
		HASH_ADD_KEYPTR(hh, match->names, entry->last, strlen(entry->last), entry);
	}
	if ((entry->n & (entry->n - 1)) == 0)
		entry->functions =
			xreallocarray(entry->functions, entry->n ? entry->n * 2 : 1, sizeof(*entry->functions));
	entry->functions[entry->n++] = (struct rfs_match_function){
		.module = indexing->module,
		.start = vaddr,
		/* clone() has a size, but its frame information ends earlier */
		.end = vaddr + size > function->end ? vaddr + size : function->end,
		.bare = bare,
	};
}

void rfs_match_functions(struct rfs_match *match, const char *name,
			 void (*f)(void *arg, const struct rfs_match_function *function), void *arg)
{
	struct rfs_match_name *entry;
	char *bare = rfs_function_bare_name(name);
	const char *last = rfs_function_last_name(bare);

	for (size_t i = 0; i < match->n_modules && !match->indexed; i++) {
		struct indexing indexing = {match, i};

		rfs_elf_each_symbol(match->modules[i].elf, match_index_add_function, &indexing);
	}
	match->indexed = true;
	HASH_FIND_STR(match->names, last, entry);
	for (size_t i = 0; entry && i < entry->n; i++) {
		bool known = false;

		/* a function with several symbols counts once */
		for (size_t k = 0; k < i && !known; k++)
			known = entry->functions[k].module == entry->functions[i].module &&
				entry->functions[k].start == entry->functions[i].start;
		if (!known && rfs_function_name_same(bare, entry->functions[i].bare))
			f(arg, &entry->functions[i]);
	}
	free(bare);
}

void rfs_match_release_index(struct rfs_match *match)
{
	struct rfs_match_name *entry, *next;

	HASH_ITER (hh, match->names, entry, next) {
		HASH_DEL(match->names, entry);
		for (size_t i = 0; i < entry->n; i++)
			free(entry->functions[i].bare);
		free(entry->functions);
		free(entry);
	}
}

size_t rfs_match_accesses(const struct rfs_match_module *module, const struct rfs_code_site **out)
{
	const struct rfs_code *code = rfs_code_cache_get(module->elf);

	return code ? rfs_code_sites(code, out) : 0;
}

size_t rfs_match_locks(struct rfs_match *match, struct rfs_match_module *module, const struct rfs_code_site **out)
{
	struct rfs_decoder *decoder = rfs_symbols_decoder(match->symbols);

	if (!module->locks_read && decoder &&
	    rfs_code_scan(module->elf, decoder, rfs_acquires_lock, &module->locks) != 0)
		module->locks = NULL;
	module->locks_read = true;
	return module->locks ? rfs_code_sites(module->locks, out) : 0;
}

bool rfs_match_insn(struct rfs_match *match, const struct rfs_match_module *module, const struct rfs_code_site *site,
		    struct rfs_match_insn *out)
{
	struct rfs_decoder *decoder = rfs_symbols_decoder(match->symbols);
	uint8_t bytes[RFS_INSN_MAX];
	size_t n = rfs_elf_read(module->elf, site->vaddr, bytes, sizeof(bytes));
	struct rfs_insn insn;

	*out = (struct rfs_match_insn){0};
	if (!decoder || rfs_insn_decode(decoder, bytes, n, site->vaddr, &insn) != 0)
		return false;
	for (size_t i = 0; i < insn.n_mem; i++) {
		const struct rfs_mem *mem = &insn.mem[i];

		if (mem->flags & RFS_MEM_STACK)
			continue;
		out->reads |= (mem->flags & RFS_MEM_READ) != 0;
		out->writes |= (mem->flags & RFS_MEM_WRITE) != 0;
		out->size = insn.rep || (out->size && out->size != mem->size) ? 0 : mem->size;
	}
	return out->reads || out->writes;
}
