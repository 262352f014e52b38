/* modules.c - the modules that a run has seen, and the sites in them. */
#include "supervisor/state/core/modules.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/path.h"
#include "supervisor/base/site.h"
#include "supervisor/state/core/run_state.h"
#include "tracer/module.h"
#include "tracer/tracer.h"

/* Other mappings are much further away from the program than this. */
#define HEAP_MAX (1ull << 40)
#define PAGE 4096

bool rfs_in_heap(const struct rfs_run *run, rfs_addr address, uint64_t *offset)
{
	const struct rfs_module_info *program = run->n_modules ? run->modules[0] : NULL;
	const rfs_addr heap = program ? (program->end + PAGE - 1) & ~(rfs_addr)(PAGE - 1) : 0;

	if (!program || address < heap || address - heap >= HEAP_MAX)
		return false;
	*offset = address - heap;
	return true;
}

static bool is_cxx(const struct rfs_elf *elf)
{
	char *const *needed;
	const size_t n = elf ? rfs_elf_needed(elf, &needed) : 0;

	for (size_t i = 0; i < n; i++)
		if (strncmp(needed[i], "libstdc++.", 10) == 0 || strncmp(needed[i], "libc++.", 7) == 0)
			return true;
	return elf && rfs_elf_symbol(elf, "__gxx_personality_v0", NULL, NULL);
}

struct rfs_module_info *rfs_info_new(struct rfs_run *run, const struct rfs_module *module)
{
	struct rfs_module_info *info = xcalloc(1, sizeof(*info));

	info->number = (unsigned)run->n_modules;
	info->path = xstrdup(module->path);
	info->path_hash = XXH64(info->path, strlen(info->path), 0);
	info->bias = module->bias;
	info->start = module->start;
	info->end = module->end;
	info->elf = module->elf;
	info->program = module->number == 0;
	info->cxx = is_cxx(module->elf);
	info->openmp = strncmp(rfs_base_name(module->path), "libgomp.so", 10) == 0;
	run->modules = xreallocarray(run->modules, run->n_modules + 1, sizeof(*run->modules));
	run->modules[run->n_modules++] = info;
	return info;
}

/* Returns the newest module, because addresses are reused after dlclose(). */
struct rfs_module_info *rfs_info_at(const struct rfs_run *run, rfs_addr address)
{
	for (size_t i = run->n_modules; i-- > 0;)
		if (address >= run->modules[i]->start && address < run->modules[i]->end)
			return run->modules[i];
	return NULL;
}

rfs_site rfs_site_of(const struct rfs_run *run, rfs_addr address)
{
	const struct rfs_module_info *info = rfs_info_at(run, address);

	return info ? rfs_site_make(info->number, address - info->bias) : 0;
}

rfs_addr rfs_site_address(const struct rfs_run *run, rfs_site site)
{
	uint64_t vaddr;
	size_t number;

	if (!rfs_site_split(site, &number, &vaddr) || number >= run->n_modules)
		return 0;
	return run->modules[number]->bias + vaddr;
}

void rfs_infos_copy(const struct rfs_run *from, struct rfs_task *task, struct rfs_run *to)
{
	struct rfs_module *const *modules;
	size_t n = rfs_modules(rfs_task_space(task), &modules);

	to->modules = xcalloc(from->n_modules, sizeof(*to->modules));
	to->n_modules = from->n_modules;
	for (size_t i = 0; i < from->n_modules; i++) {
		to->modules[i] = xmalloc(sizeof(*to->modules[i]));
		*to->modules[i] = *from->modules[i];
		to->modules[i]->path = xstrdup(from->modules[i]->path);
		to->modules[i]->waiting =
			xcalloc(from->modules[i]->n_waiting + 1, sizeof(const struct rfs_code_site *));
		for (size_t k = 0; k < from->modules[i]->n_waiting; k++)
			to->modules[i]->waiting[k] = from->modules[i]->waiting[k];
	}
	for (size_t i = 0; i < n; i++) {
		const struct rfs_module_info *info = modules[i]->data;

		modules[i]->data = to->modules[info->number];
	}
}

void rfs_infos_release(struct rfs_run *run)
{
	for (size_t i = 0; i < run->n_modules; i++) {
		free(run->modules[i]->path);
		free(run->modules[i]->waiting);
		free(run->modules[i]);
	}
	free(run->modules);
}

bool rfs_names_module(const char *glob, const char *path)
{
	const char *base = strrchr(path, '/');

	return fnmatch(glob, path, 0) == 0 || (base && fnmatch(glob, base + 1, 0) == 0);
}
