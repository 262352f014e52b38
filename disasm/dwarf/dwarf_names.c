/* dwarf_names.c - follows references between entries, and makes names as people write them. */
#include "disasm/dwarf/dwarf_read-priv.h"

#include <libdwarf/dwarf.h>
#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

/* A chain of origins has two links (instance, abstract instance, declaration). More than this many are a cycle. */
#define ORIGINS_MAX 16
/* The most namespaces, classes and functions around one entry. */
#define SCOPES_MAX 64

char *rfs_demangle(const char *name)
{
	return cplus_demangle(name, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO | DMGL_RET_DROP);
}

uint32_t rfs_dwarf_resolve(const struct rfs_dwarf_reader *reader, rfs_dwarf_ref ref)
{
	size_t low = 0, high;

	if (ref != RFS_DWARF_NO_REF && !(ref & RFS_DWARF_REF_TYPES) && ref & RFS_DWARF_REF_SIGNATURE) {
		const struct rfs_dwarf_signature *signatures = reader->signatures.rows;
		uint64_t wanted = ((uint64_t *)reader->wanted.rows)[ref & ~RFS_DWARF_REF_SIGNATURE];

		for (high = reader->signatures.n; low < high;) {
			size_t middle = low + (high - low) / 2;

			if (signatures[middle].signature < wanted)
				low = middle + 1;
			else
				high = middle;
		}
		if (low == reader->signatures.n || signatures[low].signature != wanted)
			return RFS_DWARF_NONE;
		ref = signatures[low].type;
		low = 0;
	}
	if (ref == RFS_DWARF_NO_REF)
		return RFS_DWARF_NONE;
	for (high = reader->nodes.n; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (rfs_dwarf_node(reader, middle)->self < ref)
			low = middle + 1;
		else
			high = middle;
	}
	return low < reader->nodes.n && rfs_dwarf_node(reader, low)->self == ref ? (uint32_t)low : RFS_DWARF_NONE;
}

uint32_t rfs_dwarf_origin(const struct rfs_dwarf_reader *reader, uint32_t node)
{
	for (int i = 0; i < ORIGINS_MAX; i++) {
		uint32_t next = rfs_dwarf_resolve(reader, rfs_dwarf_node(reader, node)->origin);

		if (next == RFS_DWARF_NONE)
			break;
		node = next;
	}
	return node;
}

/* The first name (or linkage name) along the chain of origins; 0 if no entry has one. */
static uint32_t name_along(const struct rfs_dwarf_reader *reader, uint32_t node, bool linkage)
{
	for (int i = 0; i < ORIGINS_MAX && node != RFS_DWARF_NONE; i++) {
		const struct rfs_dwarf_node *entry = rfs_dwarf_node(reader, node);

		if (linkage ? entry->linkage : entry->name)
			return linkage ? entry->linkage : entry->name;
		node = rfs_dwarf_resolve(reader, entry->origin);
	}
	return 0;
}

static bool names_scope(uint16_t tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_module:
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
		return true;
	default:
		return false;
	}
}

/* The name of one scope. If a class is declared only by its signature (clang), its name is in the type unit. */
static uint32_t scope_name(const struct rfs_dwarf_reader *reader, uint32_t scope)
{
	const struct rfs_dwarf_node *node = rfs_dwarf_node(reader, scope);
	uint32_t type;

	if (node->name || node->type == RFS_DWARF_NO_REF || node->tag == DW_TAG_subprogram)
		return node->name;
	type = rfs_dwarf_resolve(reader, node->type);
	return type == RFS_DWARF_NONE ? 0 : rfs_dwarf_node(reader, type)->name;
}

uint32_t rfs_dwarf_qualified(struct rfs_dwarf_reader *reader, uint32_t node)
{
	static const char anonymous[] = "(anonymous namespace)";
	uint32_t scopes[SCOPES_MAX], name = name_along(reader, node, false);
	struct rfs_dwarf_node *entry = rfs_dwarf_node(reader, node);
	size_t n = 0, length = 0;
	char text[4096];

	if (entry->qualified)
		return entry->qualified - 1;
	if (name) {
		uint32_t scope = rfs_dwarf_node(reader, rfs_dwarf_origin(reader, node))->parent;

		for (; scope != RFS_DWARF_NONE && n < SCOPES_MAX; scope = rfs_dwarf_node(reader, scope)->parent) {
			/* A function belongs to the scope in which its origin was declared. */
			scope = rfs_dwarf_origin(reader, scope);
			if (names_scope(rfs_dwarf_node(reader, scope)->tag))
				scopes[n++] = scope;
		}
		while (n--) {
			uint32_t own = scope_name(reader, scopes[n]);
			const char *part = own ? rfs_dwarf_string(&reader->tables, own) : anonymous;

			if ((!own && rfs_dwarf_node(reader, scopes[n])->tag != DW_TAG_namespace) ||
			    length + strlen(part) + 3 > sizeof(text))
				continue;
			length = (size_t)(stpcpy(stpcpy(text + length, part), "::") - text);
		}
		if (length) {
			const char *own = rfs_dwarf_string(&reader->tables, name);
			size_t room = sizeof(text) - length;

			memccpy(text + length, own, '\0', room);
			name = rfs_dwarf_intern(&reader->tables, text, sizeof(text));
		}
	}
	entry->qualified = name + 1;
	return name;
}

uint32_t rfs_dwarf_display(struct rfs_dwarf_reader *reader, uint32_t node)
{
	uint32_t linkage = name_along(reader, node, true), origin = rfs_dwarf_origin(reader, node);
	struct rfs_dwarf_node *entry = rfs_dwarf_node(reader, origin);
	uint32_t name = 0;
	char *demangled;

	/*
	 * Instances of one function share its name, which is looked up once. But if only the instance has the mangled
	 * name (clones of a constructor), each one is looked up.
	 */
	if (entry->display && (entry->linkage || !linkage))
		return entry->display - 1;
	if (linkage) {
		demangled = rfs_demangle(rfs_dwarf_string(&reader->tables, linkage));
		if (demangled)
			name = rfs_dwarf_intern(&reader->tables, demangled, strlen(demangled));
		free(demangled);
	}
	if (!name)
		name = rfs_dwarf_qualified(reader, node);
	if (!name)
		name = linkage;
	entry->display = name + 1;
	return name;
}

static bool dwarf_names_begins(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* The rest of a name after "std::" and, for libc++, its inline namespace such as "__1::". */
static const char *behind_std(const char *name)
{
	size_t digits;

	name += strlen("std::");
	digits = dwarf_names_begins(name, "__") ? strspn(name + 2, "0123456789") : 0;
	return digits && dwarf_names_begins(name + 2 + digits, "::") ? name + 2 + digits + 2 : name;
}

enum rfs_dwarf_library rfs_dwarf_atomic_name(const char *name)
{
	/* std::atomic, std::atomic_ref, std::atomic_flag and their base classes, in libstdc++ and libc++. */
	static const char *const in_std[] = {"atomic", "__atomic", "__cxx_atomic"};
	/* The counters of std::shared_ptr and the internals of C++20's waits. libstdc++ reads these with the compiler's
	 * atomic built-ins, which become plain moves. */
	static const char *const with_builtins[] = {"_Sp_counted_base<",   "__detail::__waiter",
						    "__detail::__atomic",  "barrier<",
						    "__tree_barrier<",	   "latch::",
						    "counting_semaphore<", "__platform_semaphore",
						    "binary_semaphore"};
	static const char *const others[] = {"__gnu_cxx::__exchange_and_add", "__gnu_cxx::__atomic_add",
					     "core::sync::atomic::"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (dwarf_names_begins(name, others[i]))
			return RFS_DWARF_ATOMIC;
	}
	if (!dwarf_names_begins(name, "std::"))
		return RFS_DWARF_FOREIGN;
	name = behind_std(name);
	for (size_t i = 0; i < sizeof(in_std) / sizeof(in_std[0]); i++) {
		if (dwarf_names_begins(name, in_std[i]))
			return RFS_DWARF_ATOMIC;
	}
	for (size_t i = 0; i < sizeof(with_builtins) / sizeof(with_builtins[0]); i++) {
		if (dwarf_names_begins(name, with_builtins[i]))
			return RFS_DWARF_ATOMIC_ONLY;
	}
	return RFS_DWARF_FOREIGN;
}

bool rfs_is_atomic_function(const char *demangled)
{
	return rfs_dwarf_atomic_name(demangled) != RFS_DWARF_FOREIGN;
}
