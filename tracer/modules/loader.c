/*
 * Finds the modules of a space. At execve, they are the files that the kernel mapped. Afterwards they are in the list
 * that the dynamic loader keeps for debuggers (struct r_debug and link_map, <link.h>). The program's DT_DEBUG entry
 * points to that list. The loader calls _dl_debug_state() whenever the list changes, so one breakpoint is enough to see
 * all changes.
 */
#include "tracer/loader.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "disasm/addr.h"
#include "disasm/elf/elf.h"
#include "tracer/breakpoint.h"
#include "tracer/code/breakpoint_table-priv.h"
#include "tracer/code/patch-priv.h"
#include "tracer/elf_cache.h"
#include "tracer/memory.h"
#include "tracer/modules/module-priv.h"
#include "tracer/modules/space_files-priv.h"
#include "tracer/modules/unwind-priv.h"
#include "tracer/process/space-priv.h"
#include "tracer/process/task-priv.h"

/* A list with more modules counts as damaged. */
#define MAX_MODULES 65536
/* At most this many dynamic entries are searched for DT_DEBUG; real files have about 40. */
#define MAX_DYNAMIC 1024

/* A struct r_debug with the member `next`, which the C library has since 2.35. Each namespace (dlmopen) has its own
 * list. */
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
	Elf64_auxv_t entries[64]; /* more than the kernel ever gives */
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

/* Sets a breakpoint at the function that the interpreter calls for debuggers. If the interpreter has no such function,
 * libraries stay unknown, but the run continues. */
static int watch_interpreter(struct rfs_task *task, const struct rfs_module *interpreter)
{
	struct rfs_breakpoint *breakpoint;
	rfs_addr vaddr;
	uint64_t size;
	int r;

	if (!rfs_elf_symbol(interpreter->elf, "_dl_debug_state", &vaddr, &size))
		return 0;
	r = rfs_breakpoint_add(task, vaddr + interpreter->bias, &breakpoint);
	if (!r)
		task->space->files->modules->changed = vaddr + interpreter->bias;
	return r;
}

/* At execve: adds the program, and its interpreter if it has one. */
static int first_modules(struct rfs_task *task, notify *added, void *arg)
{
	struct rfs_modules *all = task->space->files->modules;
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
		r = rfs_modules_add(all, path, elf, auxiliary.entry - rfs_elf_entry(elf), false, &entry);
	if (r)
		return r;
	added(arg, &entry->module);
	interpreter = rfs_elf_interpreter(elf);
	if (!interpreter || !auxiliary.base)
		return 0;
	r = rfs_elf_cache_get(interpreter, &elf, why, sizeof(why));
	if (!r)
		r = rfs_modules_add(all, interpreter, elf, auxiliary.base, true, &entry);
	if (r)
		return r;
	added(arg, &entry->module);
	return watch_interpreter(task, &entry->module);
}

/* The address of the program's DT_DEBUG entry; 0: there is none. */
static rfs_addr find_debug_entry(struct rfs_space *space)
{
	const struct rfs_module *program = &space->files->modules->entries[0]->module;
	rfs_addr at = rfs_elf_dynamic(program->elf);
	Elf64_Dyn entries[32];

	if (!at)
		return 0;
	at += program->bias;
	for (int seen = 0; seen < MAX_DYNAMIC;) {
		/* do not read into the next page, which may be unmapped */
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

/* The address of the loader's list; 0 if the loader has not set it yet. */
static rfs_addr debug_list_address(struct rfs_space *space)
{
	Elf64_Dyn entry;

	if (!space->files->modules->debug_entry)
		space->files->modules->debug_entry = find_debug_entry(space);
	if (!space->files->modules->debug_entry ||
	    rfs_space_read(space, space->files->modules->debug_entry, &entry, sizeof(entry)))
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

/* Finds a module by the address of its dynamic section, because no two modules have the same. */
static struct rfs_module_entry *find_dynamic(const struct rfs_modules *all, rfs_addr address)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct rfs_module *module = &all->entries[i]->module;
		rfs_addr dynamic = rfs_elf_dynamic(module->elf);

		if (dynamic && dynamic + module->bias == address)
			return all->entries[i];
	}
	return NULL;
}

/* The path of a module: the loader's name if it is absolute. Otherwise the kernel's name, because the working directory
 * may have changed since. False if neither is absolute. */
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

/* Handles one element of the loader's list. A file that cannot be read as ELF is left out; it may have been replaced.
 * */
static int visit(struct rfs_space *space, const struct link_map *map, notify *added, void *arg)
{
	struct rfs_module_entry *entry = find_dynamic(space->files->modules, (rfs_addr)(uintptr_t)map->l_ld);
	char path[4096], why[256];
	struct rfs_elf *elf;
	int r;

	if (entry) {
		entry->seen = true;
		return 0;
	}
	if (!module_path(space, map, path, sizeof(path)) || rfs_elf_cache_get(path, &elf, why, sizeof(why))) {
		space->files->modules->left_out = true;
		return 0;
	}
	r = rfs_modules_add(space->files->modules, path, elf, map->l_addr, false, &entry);
	if (r)
		return r;
	/* copies of a program share unwind information only while they have the same modules */
	rfs_unwind_release(space);
	added(arg, &entry->module);
	return 0;
}

static int loader_walk(struct rfs_space *space, rfs_addr first, notify *added, void *arg)
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
	struct rfs_modules *all = space->files->modules;
	size_t i = 0, n = all->n;

	while (i < all->n) {
		struct rfs_module *module = &all->entries[i]->module;

		if (all->entries[i]->seen) {
			i++;
			continue;
		}
		rfs_breakpoint_drop(space, module->start, module->end);
		rfs_patches_drop(space, module->start, module->end);
		gone(arg, module);
		rfs_modules_drop(all, i);
	}
	if (all->n != n)
		rfs_unwind_release(space);
}

int rfs_modules_update(struct rfs_task *task, notify *added, notify *gone, void *arg)
{
	struct rfs_space *space = task->space;
	struct rfs_modules *all;
	struct debug_list list;
	rfs_addr at;
	int r;

	if (rfs_modules_make(space))
		return -ENOMEM;
	all = space->files->modules;
	if (!all->n) {
		r = first_modules(task, added, arg);
		if (r)
			return r;
	}
	for (size_t i = 0; i < all->n; i++)
		all->entries[i]->seen = i == 0 || all->entries[i]->module.is_interpreter;
	at = debug_list_address(space);
	if (!at)
		return 0;
	for (; at; at = list.next) {
		r = read_debug_list(space, at, &list);
		if (r)
			return r;
		if (list.state != RT_CONSISTENT)
			return 0;
		r = loader_walk(space, list.map, added, arg);
		if (r)
			return r;
	}
	drop_unseen(space, gone, arg);
	return 0;
}

bool rfs_modules_changed_here(const struct rfs_space *space, rfs_addr address)
{
	return space->files->modules && space->files->modules->changed && space->files->modules->changed == address;
}
