/*
 * The modules of a space: at execve what the kernel mapped, afterwards what the dynamic loader says in its list for
 * debuggers (struct r_debug and link_map, <link.h>; the program's DT_DEBUG points to it). The loader calls
 * _dl_debug_state() whenever the list changes: a breakpoint there is all that is needed to keep up.
 */
#include "tracer/module.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracer/breakpoint.h"
#include "tracer/memory.h"
#include "tracer/module-priv.h"
#include "tracer/tracer-priv.h"

/* A list longer than that is a broken one. */
#define MAX_MODULES 65536
/* Of dynamic entries before DT_NULL; real ones have some 40. */
#define MAX_DYNAMIC 1024

/* r_debug of the C library 2.35 and later, which has one list a namespace (dlmopen). */
struct debug_list {
	int version;
	rfs_addr map, brk;
	int state;
	rfs_addr base;
	rfs_addr next; /* version 2 and later */
};

typedef void notify(void *arg, struct rfs_module *module);

struct auxiliary {
	rfs_addr entry, base;
};

static int read_auxiliary(pid_t tid, struct auxiliary *out)
{
	char path[64];
	Elf64_auxv_t entries[64]; /* the kernel has room for fewer */
	ssize_t got;
	int fd;

	memset(out, 0, sizeof(*out));
	snprintf(path, sizeof(path), "/proc/%d/auxv", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -ESRCH;
	got = read(fd, entries, sizeof(entries));
	close(fd);
	for (const Elf64_auxv_t *entry = entries; got >= (ssize_t)sizeof(*entry); entry++, got -= sizeof(*entry)) {
		if (entry->a_type == AT_ENTRY)
			out->entry = entry->a_un.a_val;
		else if (entry->a_type == AT_BASE)
			out->base = entry->a_un.a_val;
	}
	return 0;
}

static void entry_free(struct rfs_module_entry *entry)
{
	free(entry->module.path);
	if (!entry->lent)
		free(entry->frames.made);
	free(entry);
}

static int compare_start(const void *a, const void *b)
{
	const struct rfs_module_entry *const *left = a, *const *right = b;

	if ((*left)->module.start != (*right)->module.start)
		return (*left)->module.start < (*right)->module.start ? -1 : 1;
	return 0;
}

/* The arrays that callers and look-ups use, made again from space->modules. */
static void index_modules(struct rfs_space *space)
{
	for (size_t i = 0; i < space->n_modules; i++) {
		space->public_modules[i] = &space->modules[i]->module;
		space->by_start[i] = space->modules[i];
	}
	if (space->n_modules)
		qsort(space->by_start, space->n_modules, sizeof(struct rfs_module_entry *), compare_start);
}

/* One more place in each of the three arrays. */
static int grow(struct rfs_space *space)
{
	size_t size = (space->n_modules + 1) * sizeof(void *);
	void *grown;

	grown = realloc(space->modules, size);
	if (!grown)
		return -ENOMEM;
	space->modules = grown;
	grown = realloc(space->public_modules, size);
	if (!grown)
		return -ENOMEM;
	space->public_modules = grown;
	grown = realloc(space->by_start, size);
	if (!grown)
		return -ENOMEM;
	space->by_start = grown;
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

static int add_module(struct rfs_space *space, const char *path, struct rfs_elf *elf, uint64_t bias, bool interpreter,
		      struct rfs_module_entry **out)
{
	struct rfs_module_entry *entry = calloc(1, sizeof(*entry));

	if (!entry)
		return -ENOMEM;
	entry->module.path = strdup(path);
	if (!entry->module.path || grow(space)) {
		entry_free(entry);
		return -ENOMEM;
	}
	entry->module.elf = elf;
	entry->module.bias = bias;
	entry->module.number = space->next_module++;
	entry->module.is_interpreter = interpreter;
	entry->seen = true;
	set_range(&entry->module);
	space->modules[space->n_modules++] = entry;
	index_modules(space);
	*out = entry;
	return 0;
}

static int executable_path(pid_t tid, char *out, size_t n)
{
	static const char deleted[] = " (deleted)";
	char link[64];
	ssize_t length;
	size_t tail = sizeof(deleted) - 1;

	snprintf(link, sizeof(link), "/proc/%d/exe", tid);
	length = readlink(link, out, n - 1);
	if (length < 0)
		return -ESRCH;
	out[length] = '\0';
	if ((size_t)length > tail && !strcmp(out + length - tail, deleted))
		out[(size_t)length - tail] = '\0';
	return 0;
}

/*
 * A breakpoint at the interpreter's notification point for debuggers; without it, libraries stay unknown, and the run
 * continues.
 */
static int watch_interpreter(struct rfs_task *task, const struct rfs_module *interpreter)
{
	struct rfs_space *space = task->space;
	rfs_addr vaddr;
	uint64_t size;
	int r;

	if (!rfs_elf_symbol(interpreter->elf, "_dl_debug_state", &vaddr, &size))
		return 0;
	r = rfs_breakpoint_add(task, vaddr + interpreter->bias, &space->changed_breakpoint);
	if (!r)
		space->changed = vaddr + interpreter->bias;
	return r;
}

/* At execve: the program, and its interpreter if it has one. */
static int first_modules(struct rfs_task *task, notify *added, void *arg)
{
	struct rfs_space *space = task->space;
	struct rfs_module_entry *entry;
	struct auxiliary auxiliary;
	struct rfs_elf *elf;
	char path[4096], why[256];
	const char *interpreter;
	int r;

	r = read_auxiliary(task->tid, &auxiliary);
	if (!r)
		r = executable_path(task->tid, path, sizeof(path));
	if (!r)
		r = rfs_elf_cache_get(path, &elf, why, sizeof(why));
	if (!r)
		r = add_module(space, path, elf, auxiliary.entry - rfs_elf_entry(elf), false, &entry);
	if (r)
		return r;
	added(arg, &entry->module);
	interpreter = rfs_elf_interpreter(elf);
	if (!interpreter || !auxiliary.base)
		return 0;
	r = rfs_elf_cache_get(interpreter, &elf, why, sizeof(why));
	if (!r)
		r = add_module(space, interpreter, elf, auxiliary.base, true, &entry);
	if (r)
		return r;
	added(arg, &entry->module);
	return watch_interpreter(task, &entry->module);
}

/* The address of the program's DT_DEBUG entry; 0: there is none. */
static rfs_addr find_debug_entry(struct rfs_space *space)
{
	const struct rfs_module *program = &space->modules[0]->module;
	rfs_addr at = rfs_elf_dynamic(program->elf);
	Elf64_Dyn entries[32];

	if (!at)
		return 0;
	at += program->bias;
	for (int seen = 0; seen < MAX_DYNAMIC;) {
		/* not into a page that need not be there */
		size_t n = (RFS_PAGE - at % RFS_PAGE) / sizeof(entries[0]);

		if (n == 0)
			n = 1;
		if (n > sizeof(entries) / sizeof(entries[0]))
			n = sizeof(entries) / sizeof(entries[0]);
		if (rfs_space_read(space, at, entries, n * sizeof(entries[0])))
			return 0;
		for (size_t i = 0; i < n; i++, seen++, at += sizeof(entries[0])) {
			if (entries[i].d_tag == DT_NULL)
				return 0;
			if (entries[i].d_tag == DT_DEBUG)
				return at;
		}
	}
	return 0;
}

/* Address of the loader's list; 0: not set yet. */
static rfs_addr debug_list_address(struct rfs_space *space)
{
	Elf64_Dyn entry;

	if (!space->debug_entry)
		space->debug_entry = find_debug_entry(space);
	if (!space->debug_entry || rfs_space_read(space, space->debug_entry, &entry, sizeof(entry)))
		return 0;
	return entry.d_un.d_ptr;
}

static int read_debug_list(struct rfs_space *space, rfs_addr at, struct debug_list *out)
{
	struct r_debug list;
	int r = rfs_space_read(space, at, &list, sizeof(list));

	if (r)
		return r;
	out->version = list.r_version;
	out->map = (rfs_addr)(uintptr_t)list.r_map;
	out->brk = list.r_brk;
	out->state = (int)list.r_state;
	out->base = list.r_ldbase;
	out->next = 0;
	if (out->version < 2)
		return 0;
	return rfs_space_read(space, at + sizeof(list), &out->next, sizeof(out->next));
}

/* The module whose dynamic section is at address: one module never shares it with another. */
static struct rfs_module_entry *find_dynamic(struct rfs_space *space, rfs_addr address)
{
	for (size_t i = 0; i < space->n_modules; i++) {
		struct rfs_module *module = &space->modules[i]->module;
		rfs_addr dynamic = rfs_elf_dynamic(module->elf);

		if (dynamic && dynamic + module->bias == address)
			return space->modules[i];
	}
	return NULL;
}

/* The loader's name if it is absolute; otherwise the kernel's, because the directory may have changed since. */
static bool module_path(struct rfs_space *space, const struct link_map *map, char *out, size_t n)
{
	struct rfs_mapping mapping;

	if (!rfs_space_read_string(space, (rfs_addr)(uintptr_t)map->l_name, out, n) && out[0] == '/')
		return true;
	if (!rfs_space_mapping(space, (rfs_addr)(uintptr_t)map->l_ld, &mapping) || mapping.path[0] != '/')
		return false;
	snprintf(out, n, "%s", mapping.path);
	return true;
}

/* One element of the list. What cannot be read as ELF (a file that was replaced) is left out. */
static int visit(struct rfs_space *space, const struct link_map *map, notify *added, void *arg)
{
	struct rfs_module_entry *entry = find_dynamic(space, (rfs_addr)(uintptr_t)map->l_ld);
	char path[4096], why[256];
	struct rfs_elf *elf;
	int r;

	if (entry) {
		entry->seen = true;
		return 0;
	}
	if (!module_path(space, map, path, sizeof(path)) || rfs_elf_cache_get(path, &elf, why, sizeof(why))) {
		space->left_out = true;
		return 0;
	}
	r = add_module(space, path, elf, map->l_addr, false, &entry);
	if (r)
		return r;
	/* a copy that loads something goes its own way */
	rfs_unwind_flush(space);
	added(arg, &entry->module);
	return 0;
}

static int walk(struct rfs_space *space, rfs_addr first, notify *added, void *arg)
{
	size_t n = 0;

	for (rfs_addr at = first; at && n < MAX_MODULES; n++) {
		struct link_map map;
		int r = rfs_space_read(space, at, &map, sizeof(map));

		if (!r)
			r = visit(space, &map, added, arg);
		if (r)
			return r;
		at = (rfs_addr)(uintptr_t)map.l_next;
	}
	return 0;
}

static void drop_unseen(struct rfs_space *space, notify *gone, void *arg)
{
	size_t kept = 0, n = space->n_modules;

	for (size_t i = 0; i < n; i++) {
		struct rfs_module_entry *entry = space->modules[i];

		if (entry->seen) {
			space->modules[kept++] = entry;
			continue;
		}
		rfs_breakpoint_drop(space, entry->module.start, entry->module.end);
		rfs_patches_drop(space, entry->module.start, entry->module.end);
		gone(arg, &entry->module);
		entry_free(entry);
	}
	if (kept == n)
		return;
	space->n_modules = kept;
	index_modules(space);
	rfs_unwind_flush(space);
}

int rfs_modules_update(struct rfs_task *task, notify *added, notify *gone, void *arg)
{
	struct rfs_space *space = task->space;
	struct debug_list list;
	rfs_addr at;
	int r;

	if (!space->n_modules) {
		r = first_modules(task, added, arg);
		if (r)
			return r;
	}
	for (size_t i = 0; i < space->n_modules; i++)
		space->modules[i]->seen = i == 0 || space->modules[i]->module.is_interpreter;
	at = debug_list_address(space);
	if (!at)
		return 0;
	for (; at; at = list.next) {
		r = read_debug_list(space, at, &list);
		if (r)
			return r;
		if (list.state != RT_CONSISTENT)
			return 0;
		r = walk(space, list.map, added, arg);
		if (r)
			return r;
	}
	drop_unseen(space, gone, arg);
	return 0;
}

bool rfs_modules_changed_here(const struct rfs_space *space, rfs_addr address)
{
	return space->changed && space->changed == address;
}

struct rfs_module_entry *rfs_module_entry_at(const struct rfs_space *space, rfs_addr address)
{
	size_t low = 0, high = space->n_modules;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		struct rfs_module_entry *entry = space->by_start[middle];

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
	return space->left_out;
}

size_t rfs_modules(const struct rfs_space *space, struct rfs_module *const **out)
{
	*out = (struct rfs_module *const *)space->public_modules;
	return space->n_modules;
}

int rfs_modules_copy(const struct rfs_space *from, struct rfs_space *to)
{
	for (size_t i = 0; i < from->n_modules; i++) {
		const struct rfs_module *module = &from->modules[i]->module;
		struct rfs_module_entry *entry;
		int r = add_module(to, module->path, module->elf, module->bias, module->is_interpreter, &entry);

		if (r)
			return r;
		entry->module.number = module->number;
		entry->module.data = module->data;
		entry->frames = from->modules[i]->frames;
		entry->lent = entry->frames.looked;
	}
	to->next_module = from->next_module;
	to->debug_entry = from->debug_entry;
	to->changed = from->changed;
	to->changed_breakpoint = from->changed ? rfs_breakpoint_at(to, from->changed) : NULL;
	return 0;
}

void rfs_modules_release(struct rfs_space *space)
{
	for (size_t i = 0; i < space->n_modules; i++)
		entry_free(space->modules[i]);
	free(space->modules);
	free(space->public_modules);
	free(space->by_start);
}
