/* resolve.c - looks up lines, functions and offsets in the debug information and code of modules. */
#include "supervisor/campaign/predicted/resolve.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/addr.h"
#include "disasm/dwarf/dwarf.h"
#include "disasm/elf/elf.h"
#include "disasm/insn/insn.h"
#include "disasm/insn/insn_call.h"
#include "disasm/rewrite/code.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/path.h"
#include "supervisor/base/siteset.h"
#include "supervisor/record/pairs.h"
#include "supervisor/record/run_spec.h"

/* A message lists at most this many names, followed by the number of names that it leaves out. */
#define LISTED 4

/* The sites found so far. */
struct sites {
	struct rfs_site_ref *items;
	size_t n, room;
};

/* Names for a message, without duplicates. */
struct list {
	char *names[LISTED];
	size_t n; /* the number of all names; may exceed LISTED */
};

static void list_add(struct list *list, const char *name)
{
	for (size_t i = 0; i < list->n && i < LISTED; i++)
		if (strcmp(list->names[i], name) == 0)
			return;
	if (list->n < LISTED)
		list->names[list->n] = xstrdup(name);
	list->n++;
}

/* The names as one string: "a, b and 3 more". Empties the list. Caller frees. */
static char *list_join(struct list *list)
{
	char *joined = xstrdup("");

	for (size_t i = 0; i < list->n && i < LISTED; i++) {
		char *longer = xasprintf("%s%s%s", joined, i ? ", " : "", list->names[i]);

		free(joined);
		free(list->names[i]);
		joined = longer;
	}
	if (list->n > LISTED) {
		char *longer = xasprintf("%s and %zu more", joined, list->n - LISTED);

		free(joined);
		joined = longer;
	}
	list->n = 0;
	return joined;
}

static void sites_add(struct sites *sites, const char *module, uint64_t offset)
{
	if (sites->n == sites->room) {
		sites->room = sites->room ? sites->room * 2 : 4;
		sites->items = xreallocarray(sites->items, sites->room, sizeof(*sites->items));
	}
	sites->items[sites->n++] = (struct rfs_site_ref){.module = module, .offset = offset};
}

/* What is searched. */
struct kind {
	rfs_range_call *is_call; /* which calls count; NULL: none */
	bool locks;		 /* where a thread acquires a lock; otherwise its accesses */
	bool system_calls;	 /* calls that lead to a system call, by their last byte; nothing else */
	const char *does;	 /* for messages, after "does not" */
};

static bool counts(const struct rfs_code_site *site, const struct kind *kind)
{
	if (site->kind == RFS_CODE_CALL)
		return kind->is_call && site->callee && kind->is_call(site->callee);
	return site->kind == RFS_CODE_ACCESS && (!kind->locks || site->atomic);
}

/* The address by which a run knows the site. */
static rfs_addr resolve_address_of(const struct rfs_code_site *site, const struct kind *kind)
{
	return site->vaddr + (kind->locks && site->kind == RFS_CODE_CALL ? site->length : 0);
}

/* ---- FILE:LINE ---- */

struct line_search {
	const struct rfs_resolve_module *module;
	const struct kind *kind;
	struct sites *found;
};

static void resolve_add_range(void *arg, rfs_addr start, rfs_addr end)
{
	struct line_search *search = arg;
	const struct rfs_code_site *sites;
	size_t n = rfs_code_sites(search->module->code, &sites);

	for (size_t i = rfs_code_sites_from(sites, n, start); i < n && sites[i].vaddr < end; i++)
		if (counts(&sites[i], search->kind))
			sites_add(search->found, search->module->path, resolve_address_of(&sites[i], search->kind));
}

static void resolve_add_file(void *arg, const char *file)
{
	list_add(arg, file);
}

static int resolve_line(const struct rfs_name *name, const struct rfs_resolve_module *modules, size_t n_modules,
			const struct kind *kind, struct sites *found, char *why, size_t n)
{
	struct list files = {0};
	bool any_lines = false, has_code = false;
	char *names;
	int error = 0;

	/*
	 * All modules are searched before any line is resolved, because two modules may have different source files
	 * with this name.
	 */
	for (size_t i = 0; i < n_modules; i++) {
		any_lines |= modules[i].dwarf != NULL;
		if (modules[i].dwarf)
			rfs_dwarf_files(modules[i].dwarf, name->name, resolve_add_file, &files);
	}
	if (!any_lines)
		return rfs_why(why, n, -ENOENT,
			       "'%s:%" PRIu64 "': the program has no debug information; build it with -g, or use "
			       "FUNCTION+0xOFF or MODULE+0xOFF",
			       name->name, name->number);
	if (files.n == 0)
		return rfs_why(why, n, -ENOENT, "no source file of the program has a path that ends in '%s'",
			       name->name);
	if (files.n > 1) {
		names = list_join(&files);
		error = rfs_why(why, n, -EEXIST, "'%s' is ambiguous, it matches %s; write more of the path", name->name,
				names);
		free(names);
		return error;
	}
	free(list_join(&files));
	for (size_t i = 0; i < n_modules; i++) {
		struct line_search search = {&modules[i], kind, found};

		if (modules[i].dwarf && rfs_dwarf_ranges(modules[i].dwarf, name->name, (unsigned)name->number,
							 resolve_add_range, &search) > 0)
			has_code = true;
	}
	/* What was inlined into the line belongs to it. A lock is taken at one place of a line: its own call, if any.
	 */
	for (size_t i = 0; i < n_modules && !(kind->locks && found->n); i++) {
		struct line_search search = {&modules[i], kind, found};

		if (modules[i].dwarf && rfs_dwarf_inlined(modules[i].dwarf, name->name, (unsigned)name->number,
							  resolve_add_range, &search) > 0)
			has_code = true;
	}
	if (!has_code)
		return rfs_why(why, n, -ENOENT, "line %" PRIu64 " of '%s' has no code", name->number, name->name);
	if (!found->n)
		return rfs_why(why, n, -ENOENT,
			       "line %" PRIu64 " of '%s' does not %s; if a function that it calls does, name a line of "
			       "that function",
			       name->number, name->name, kind->does);
	return 0;
}

/* ---- FUNCTION+0xOFF, MODULE+0xOFF ---- */

/* True if `tail` is the path, or its last components. */
static bool resolve_is_tail(const char *path, const char *tail)
{
	size_t n = strlen(path), m = strlen(tail);

	return m && m <= n && strcmp(path + n - m, tail) == 0 && (m == n || *tail == '/' || path[n - m - 1] == '/');
}

struct function_search {
	const struct rfs_name *name;
	const struct rfs_resolve_module *module;
	const struct kind *kind;
	bool found, inside; /* found: the function exists; inside: the offset is in it */
	rfs_addr *starts; /* the start addresses of all functions found; a function with several symbols counts once */
	size_t n_starts;
	struct sites *sites;
	rfs_addr near; /* if inside: the address that the name means */
};

static bool resolve_is_call(const struct rfs_resolve_module *module, rfs_addr vaddr)
{
	uint8_t bytes[RFS_CALL_LENGTH_MAX];
	struct rfs_decoder *decoder;
	bool ends;

	if (rfs_elf_read(module->elf, vaddr + 1 - sizeof(bytes), bytes, sizeof(bytes)) != sizeof(bytes) ||
	    rfs_decoder_new(&decoder))
		return false;
	ends = rfs_insn_call_ends(decoder, bytes, vaddr + 1);
	rfs_decoder_free(decoder);
	return ends;
}

/* Adds the site at this address. False if there is no site, or the site is not an access. */
static bool resolve_add_site(struct sites *found, const struct rfs_resolve_module *module, const struct kind *kind,
			     rfs_addr vaddr)
{
	const struct rfs_code_site *sites;
	size_t n, i;

	if (!module->code) {
		sites_add(found, module->path, vaddr);
		return true;
	}
	n = rfs_code_sites(module->code, &sites);
	i = rfs_code_sites_from(sites, n, vaddr);
	if (kind->system_calls) {
		if ((i < n && sites[i].vaddr == vaddr) || !resolve_is_call(module, vaddr))
			return false;
		sites_add(found, module->path, vaddr);
		return true;
	}
	if (i == n || sites[i].vaddr != vaddr || !counts(&sites[i], kind))
		return false;
	sites_add(found, module->path, vaddr);
	return true;
}

static bool resolve_same_function(const char *symbol, const char *name)
{
	char *demangled;
	bool same;

	if (strcmp(symbol, name) == 0)
		return true;
	if (strncmp(symbol, "_Z", 2) != 0 && strncmp(symbol, "_R", 2) != 0)
		return false;
	demangled = rfs_demangle(symbol);
	same = demangled && strcmp(demangled, name) == 0;
	free(demangled);
	return same;
}

static void try_function(void *arg, const char *symbol, rfs_addr vaddr, uint64_t size, enum rfs_symbol_type type)
{
	struct function_search *search = arg;
	const struct rfs_function *function;

	(void)size;
	if ((type != RFS_SYMBOL_FUNCTION && type != RFS_SYMBOL_IFUNC) ||
	    !resolve_same_function(symbol, search->name->name))
		return;
	for (size_t i = 0; i < search->n_starts; i++)
		if (search->starts[i] == vaddr)
			return;
	search->starts = xreallocarray(search->starts, search->n_starts + 1, sizeof(*search->starts));
	search->starts[search->n_starts++] = vaddr;
	search->found = true;
	function = rfs_elf_function_at(search->module->elf, vaddr);
	if (!function || search->name->number >= function->end - vaddr)
		return;
	search->inside = true;
	search->near = vaddr + search->name->number;
	resolve_add_site(search->sites, search->module, search->kind, search->near);
}

/*
 * The nearest access before the address and the nearest access after it, as MODULE+0xOFF. With these the user can
 * correct a wrong offset. Caller frees.
 */
static char *neighbours(const struct rfs_resolve_module *module, const struct kind *kind, rfs_addr vaddr)
{
	const struct rfs_code_site *sites;
	size_t n = rfs_code_sites(module->code, &sites), middle = rfs_code_sites_from(sites, n, vaddr);
	const struct rfs_code_site *before = NULL, *behind = NULL;
	struct list names = {0};

	for (size_t i = middle; i > 0 && !before; i--)
		if (counts(&sites[i - 1], kind))
			before = &sites[i - 1];
	for (size_t i = middle; i < n && !behind; i++)
		if (counts(&sites[i], kind))
			behind = &sites[i];
	for (int i = 0; i < 2; i++) {
		const struct rfs_code_site *site = i ? behind : before;
		char *text = site ? xasprintf("%s+0x%" PRIx64, rfs_base_name(module->path), site->vaddr) : NULL;

		if (text)
			list_add(&names, text);
		free(text);
	}
	return list_join(&names);
}

static int resolve_offset(const struct rfs_name *name, const struct rfs_resolve_module *modules, size_t n_modules,
			  const struct kind *kind, struct sites *found, char *why, size_t n)
{
	bool is_module = false, is_function = false, inside = false;
	const struct rfs_resolve_module *near = NULL;
	rfs_addr near_vaddr = 0;
	struct list names = {0};
	uint64_t base;
	char *text;
	int error;

	/* no file says what generated code accesses */
	if (rfs_generated_base(name->name, &base)) {
		sites_add(found, name->name, name->number);
		return 0;
	}
	for (size_t i = 0; i < n_modules; i++) {
		struct function_search search = {.name = name, .module = &modules[i], .kind = kind, .sites = found};

		if (resolve_is_tail(modules[i].path, name->name)) {
			is_module = true;
			near = &modules[i];
			near_vaddr = name->number;
			resolve_add_site(found, &modules[i], kind, name->number);
		}
		rfs_elf_each_symbol(modules[i].elf, try_function, &search);
		free(search.starts);
		is_function |= search.found;
		inside |= search.inside;
		if (search.inside && !near) {
			near = &modules[i];
			near_vaddr = search.near;
		}
	}
	if (found->n == 1)
		return 0;
	if (found->n > 1) {
		for (size_t i = 0; i < found->n; i++) {
			text = xasprintf("%s+0x%" PRIx64, found->items[i].module, found->items[i].offset);
			list_add(&names, text);
			free(text);
		}
		text = list_join(&names);
		error = rfs_why(why, n, -EEXIST, "'%s+0x%" PRIx64 "' is ambiguous; write one of %s", name->name,
				name->number, text);
		free(text);
		return error;
	}
	if (!is_module && !is_function)
		return rfs_why(why, n, -ENOENT, "the program has no function or module named '%s'", name->name);
	if (!is_module && !inside)
		return rfs_why(why, n, -ENOENT, "0x%" PRIx64 " is past the end of function '%s'", name->number,
			       name->name);
	text = neighbours(near, kind, near_vaddr);
	error = rfs_why(why, n, -ENOENT, "'%s+0x%" PRIx64 "' does not %s%s%s", name->name, name->number, kind->does,
			*text ? "; the nearest accesses are at " : "", text);
	free(text);
	return error;
}

/* ---- all forms ---- */

/* Compares sites of one module by offset. */
static int resolve_compare_sites(const void *a, const void *b)
{
	const struct rfs_site_ref *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

static void resolve_tidy(struct sites *sites)
{
	size_t kept = 0, start = 0;

	while (start < sites->n) {
		size_t end = start;

		while (end < sites->n && sites->items[end].module == sites->items[start].module)
			end++;
		qsort(sites->items + start, end - start, sizeof(*sites->items), resolve_compare_sites);
		for (size_t i = start; i < end; i++)
			if (i == start || sites->items[i].offset != sites->items[kept - 1].offset)
				sites->items[kept++] = sites->items[i];
		start = end;
	}
	sites->n = kept;
}

static int resolve_it(const struct rfs_name *name, const struct rfs_resolve_module *modules, size_t n_modules,
		      const struct kind *kind, struct rfs_statement *out, char *why, size_t n)
{
	struct sites found = {0};
	int error;

	*out = (struct rfs_statement){0};
	if (name->form == RFS_NAME_LINE)
		error = resolve_line(name, modules, n_modules, kind, &found, why, n);
	else
		error = resolve_offset(name, modules, n_modules, kind, &found, why, n);
	if (error) {
		free(found.items);
		return error;
	}
	resolve_tidy(&found);
	*out = (struct rfs_statement){.sites = found.items, .n_sites = found.n};
	return 0;
}

int rfs_resolve(const struct rfs_name *name, const struct rfs_resolve_module *modules, size_t n_modules,
		rfs_range_call *is_range, struct rfs_statement *out, char *why, size_t n)
{
	const struct kind kind = {.is_call = is_range, .does = "access shared memory"};

	return resolve_it(name, modules, n_modules, &kind, out, why, n);
}

int rfs_resolve_call(const struct rfs_name *name, const struct rfs_resolve_module *modules, size_t n_modules,
		     struct rfs_statement *out)
{
	const struct kind kind = {.system_calls = true, .does = ""};
	char why[256];

	if (name->form == RFS_NAME_LINE)
		return -ENOENT;
	return resolve_it(name, modules, n_modules, &kind, out, why, sizeof(why));
}

int rfs_resolve_lock(const struct rfs_name *name, const struct rfs_resolve_module *modules, size_t n_modules,
		     rfs_range_call *is_lock, struct rfs_statement *out, char *why, size_t n)
{
	const struct kind kind = {.is_call = is_lock, .locks = true, .does = "acquire a lock"};

	return resolve_it(name, modules, n_modules, &kind, out, why, n);
}

void rfs_resolve_release(struct rfs_statement *statement)
{
	free((void *)statement->sites);
	*statement = (struct rfs_statement){0};
}
