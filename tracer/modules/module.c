/*
 * The list of the modules of a space. loader.c fills it.
 */
#include "tracer/modules/module-priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/addr.h"
#include "disasm/elf/elf.h"
#include "tracer/modules/space_files-priv.h"
#include "tracer/process/space-priv.h"

static void entry_free(struct rfs_module_entry *entry)
{
	free(entry->module.path);
	if (!entry->lent)
		free(entry->frames.made);
	free(entry);
}

static int module_compare_start(const void *a, const void *b)
{
	const struct rfs_module_entry *const *left = a, *const *right = b;

	if ((*left)->module.start != (*right)->module.start)
		return (*left)->module.start < (*right)->module.start ? -1 : 1;
	return 0;
}

/* Fills the arrays `shown` and `by_start` again from `entries`. */
static void index_modules(struct rfs_modules *all)
{
	for (size_t i = 0; i < all->n; i++) {
		all->shown[i] = &all->entries[i]->module;
		all->by_start[i] = all->entries[i];
	}
	if (all->n)
		qsort(all->by_start, all->n, sizeof(struct rfs_module_entry *), module_compare_start);
}

/* Makes room for one more module in each of the three arrays. */
static int module_grow(struct rfs_modules *all)
{
	size_t size = (all->n + 1) * sizeof(void *);
	void *grown;

	grown = realloc(all->entries, size);
	if (!grown)
		return -ENOMEM;
	all->entries = grown;
	grown = realloc(all->shown, size);
	if (!grown)
		return -ENOMEM;
	all->shown = grown;
	grown = realloc(all->by_start, size);
	if (!grown)
		return -ENOMEM;
	all->by_start = grown;
	return 0;
}

static void set_range(struct rfs_module *module)
{
	const struct rfs_segment *segments;
	size_t n = rfs_elf_segments(module->elf, &segments);

	if (!n)
		return;
	module->start = (segments[0].vaddr & ~(RFS_PAGE - 1)) + module->bias;
	module->end = segments[0].vaddr + segments[0].memsz + module->bias;
	for (size_t i = 1; i < n; i++) {
		rfs_addr end = segments[i].vaddr + segments[i].memsz + module->bias;

		if (end > module->end)
			module->end = end;
	}
	module->end = (module->end + RFS_PAGE - 1) & ~(RFS_PAGE - 1);
}

int rfs_modules_make(struct rfs_space *space)
{
	if (!space->files->modules)
		space->files->modules = calloc(1, sizeof(*space->files->modules));
	return space->files->modules ? 0 : -ENOMEM;
}

int rfs_modules_add(struct rfs_modules *all, const char *path, struct rfs_elf *elf, uint64_t bias, bool interpreter,
		    struct rfs_module_entry **out)
{
	struct rfs_module_entry *entry = calloc(1, sizeof(*entry));

	if (!entry)
		return -ENOMEM;
	entry->module.path = strdup(path);
	if (!entry->module.path || module_grow(all)) {
		entry_free(entry);
		return -ENOMEM;
	}
	entry->module.elf = elf;
	entry->module.bias = bias;
	entry->module.number = all->next++;
	entry->module.is_interpreter = interpreter;
	entry->seen = true;
	set_range(&entry->module);
	all->entries[all->n++] = entry;
	index_modules(all);
	*out = entry;
	return 0;
}

void rfs_modules_drop(struct rfs_modules *all, size_t i)
{
	entry_free(all->entries[i]);
	all->n--;
	memmove(all->entries + i, all->entries + i + 1, (all->n - i) * sizeof(struct rfs_module_entry *));
	index_modules(all);
}

struct rfs_module_entry *rfs_module_entry_at(const struct rfs_space *space, rfs_addr address)
{
	const struct rfs_modules *all = space->files->modules;
	size_t low = 0, high = all ? all->n : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		struct rfs_module_entry *entry = all->by_start[middle];

		if (address < entry->module.start)
			high = middle;
		else if (address >= entry->module.end)
			low = middle + 1;
		else
			return entry;
	}
	return NULL;
}

struct rfs_module *rfs_module_at(const struct rfs_space *space, rfs_addr address)
{
	struct rfs_module_entry *entry = rfs_module_entry_at(space, address);

	return entry ? &entry->module : NULL;
}

bool rfs_modules_left_out(const struct rfs_space *space)
{
	return space->files->modules && space->files->modules->left_out;
}

size_t rfs_modules(const struct rfs_space *space, struct rfs_module *const **out)
{
	const struct rfs_modules *all = space->files->modules;

	*out = all ? (struct rfs_module *const *)all->shown : NULL;
	return all ? all->n : 0;
}

int rfs_modules_copy(const struct rfs_space *from, struct rfs_space *to)
{
	const struct rfs_modules *all = from->files->modules;

	if (!all)
		return 0;
	if (rfs_modules_make(to))
		return -ENOMEM;
	for (size_t i = 0; i < all->n; i++) {
		const struct rfs_module *module = &all->entries[i]->module;
		struct rfs_module_entry *entry;
		int r = rfs_modules_add(to->files->modules, module->path, module->elf, module->bias,
					module->is_interpreter, &entry);

		if (r)
			return r;
		entry->module.number = module->number;
		entry->module.data = module->data;
		entry->frames = all->entries[i]->frames;
		entry->lent = entry->frames.looked;
	}
	to->files->modules->next = all->next;
	to->files->modules->debug_entry = all->debug_entry;
	to->files->modules->changed = all->changed;
	return 0;
}

void rfs_modules_release(struct rfs_space *space)
{
	struct rfs_modules *all = space->files->modules;

	for (size_t i = 0; all && i < all->n; i++)
		entry_free(all->entries[i]);
	if (all) {
		free(all->entries);
		free(all->shown);
		free(all->by_start);
	}
	free(all);
	space->files->modules = NULL;
}
