/*
 * classes.c - the public methods of C++ classes. First, all namespaces and classes are walked, because an entry does
 * not say in which of them it is. Then the methods are read.
 *
 * The compiler gives constructors and destructors one name for all variants, C4 and D4 (Itanium C++ ABI, 5.1.4.3, has
 * the others). The variant that makes or ends a whole object is C1 or D1.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/dwarf/prototypes-priv.h"

/* Where the walk is. */
struct scope {
	const char *name;	/* "ns::Foo"; "": global */
	bool is_std, is_hidden; /* hidden: in a class that is not public */
	Dwarf_Half tag;		/* of the class; 0: none */
	char **files;		/* of the unit */
	Dwarf_Signed n_files;
	Dwarf_Half version;
};

const struct rfs_cxx_name *rfs_prototypes_name(struct rfs_prototypes *p, Dwarf_Die die)
{
	struct rfs_cxx_name *found = NULL;
	Dwarf_Off offset;

	if (p->is_cxx && dwarf_dieoffset(die, &offset, NULL) == DW_DLV_OK)
		HASH_FIND(hh, p->names, &offset, sizeof(offset), found);
	return found;
}

/* ---- names ---- */

static Dwarf_Half tag_of(Dwarf_Die die)
{
	Dwarf_Half tag;

	return dwarf_tag(die, &tag, NULL) == DW_DLV_OK ? tag : 0;
}

static bool is_class(Dwarf_Half tag)
{
	return tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

/* The name with its scope. Caller frees; NULL: it has none. */
static char *qualified(struct rfs_prototypes *p, const struct scope *scope, Dwarf_Die die)
{
	char *name, *out = NULL;

	if (dwarf_diename(die, &name, NULL) != DW_DLV_OK)
		return NULL;
	if (asprintf(&out, "%s%s%s", scope->name, *scope->name ? "::" : "", name) < 0) {
		p->no_memory = true;
		out = NULL;
	}
	return out;
}

static void classes_add_name(struct rfs_prototypes *p, const struct scope *scope, Dwarf_Die die)
{
	struct rfs_cxx_name *row = calloc(1, sizeof(*row));

	if (!row || dwarf_dieoffset(die, &row->offset, NULL) != DW_DLV_OK || !(row->name = qualified(p, scope, die))) {
		free(row);
		return;
	}
	HASH_ADD(hh, p->names, offset, sizeof(row->offset), row);
}

/* DW_AT_accessibility, or the default. class: the tag of the class that has the entry. */
static bool is_public(struct rfs_prototypes *p, Dwarf_Half class, Dwarf_Die die)
{
	int64_t access;

	if (rfs_dwarf_number(p, die, DW_AT_accessibility, &access))
		return access == DW_ACCESS_public;
	return class != DW_TAG_class_type;
}

/* Calls f for each child with a tag that is named in a scope. */
static void walk(struct rfs_prototypes *p, const struct scope *scope, Dwarf_Die die,
		 void (*f)(struct rfs_prototypes *p, const struct scope *scope, Dwarf_Die die))
{
	Dwarf_Die child, next;
	int result = dwarf_child(die, &child, NULL);

	while (result == DW_DLV_OK) {
		Dwarf_Half tag = tag_of(child);
		struct scope inner = *scope;
		char *name = NULL;

		if (tag != DW_TAG_subprogram)
			f(p, scope, child);
		if (tag == DW_TAG_namespace || is_class(tag)) {
			name = qualified(p, scope, child);
			/* a namespace without a name can be left out of names */
			inner.name = name ? name : scope->name;
			inner.is_hidden |= is_class(tag) && !is_public(p, scope->tag, child);
			inner.tag = is_class(tag) ? tag : 0;
			inner.is_std |= tag == DW_TAG_namespace && !*scope->name && name &&
					(strcmp(name, "std") == 0 || strncmp(name, "__", 2) == 0);
			walk(p, &inner, child, f);
			free(name);
		}
		result = dwarf_siblingof_b(p->dbg, child, true, &next, NULL);
		dwarf_dealloc_die(child);
		child = next;
	}
}

static void name_type(struct rfs_prototypes *p, const struct scope *scope, Dwarf_Die die)
{
	Dwarf_Half tag = tag_of(die);

	if (is_class(tag) || tag == DW_TAG_enumeration_type || tag == DW_TAG_typedef)
		classes_add_name(p, scope, die);
}

/* ---- methods ---- */

/* The name of the variant for whole objects. Caller frees. */
static char *whole_object(const char *linkage, enum rfs_cxx_kind kind)
{
	const char *unified = kind == RFS_CXX_CONSTRUCTOR ? "C4" : "D4", *found = NULL;
	char *copy = strdup(linkage);

	if (kind != RFS_CXX_CONSTRUCTOR && kind != RFS_CXX_DESTRUCTOR)
		return copy;
	/* "E" ends the name of the class and its method; parameters may have other names in them */
	for (const char *at = linkage; !found && (at = strstr(at, unified)); at++)
		if (at[2] == 'E' || at[2] == 'I')
			found = at;
	if (copy && found)
		copy[found - linkage + 1] = '1';
	return copy;
}

static enum rfs_cxx_kind classes_kind_of(Dwarf_Die class, Dwarf_Die die, const char *name)
{
	char *of_class;
	size_t n;

	if (name[0] == '~')
		return RFS_CXX_DESTRUCTOR;
	if (dwarf_diename(class, &of_class, NULL) == DW_DLV_OK) {
		n = strcspn(of_class, "<"); /* "Box<int>" has the constructor "Box" */
		if (strncmp(name, of_class, n) == 0 && (!name[n] || name[n] == '<'))
			return RFS_CXX_CONSTRUCTOR;
	}
	return rfs_dwarf_has(die, DW_AT_object_pointer) ? RFS_CXX_METHOD : RFS_CXX_STATIC;
}

static void classes_take_place(struct rfs_prototypes *p, const struct scope *scope, Dwarf_Die die,
			       struct rfs_cxx_method *method)
{
	int64_t file, line;

	if (rfs_dwarf_number(p, die, DW_AT_decl_line, &line))
		method->line = (unsigned)line;
	if (!rfs_dwarf_number(p, die, DW_AT_decl_file, &file))
		return;
	file -= scope->version < 5; /* the first file has number 0 since DWARF 5 */
	if (file >= 0 && file < scope->n_files)
		method->file = strdup(scope->files[file]);
}

static bool add_row(struct rfs_prototypes *p, struct rfs_cxx_method *method, char *linkage,
		    const struct rfs_c_type *type)
{
	struct rfs_prototype *rows = reallocarray(p->rows, p->n + 1, sizeof(*rows));
	struct rfs_cxx_method **methods = reallocarray(p->methods, p->n + 1, sizeof(*methods));

	if (rows)
		p->rows = rows;
	if (methods)
		p->methods = methods;
	if (!rows || !methods)
		return false;
	methods[p->n] = method;
	rows[p->n++] = (struct rfs_prototype){linkage, type, method};
	return true;
}

static void free_method(struct rfs_cxx_method *method)
{
	if (method) {
		free(method->name);
		free(method->file);
	}
	free(method);
}

static void add_method(struct rfs_prototypes *p, const struct scope *scope, Dwarf_Die class, Dwarf_Die die)
{
	struct rfs_cxx_method *method;
	Dwarf_Off class_offset, offset;
	Dwarf_Attribute attr;
	char *name, *linkage, *whole = NULL;

	if (dwarf_diename(die, &name, NULL) != DW_DLV_OK || !is_public(p, tag_of(class), die) ||
	    rfs_dwarf_has(die, DW_AT_deleted) || rfs_dwarf_has(die, DW_AT_artificial) ||
	    dwarf_dieoffset(class, &class_offset, NULL) != DW_DLV_OK ||
	    dwarf_dieoffset(die, &offset, NULL) != DW_DLV_OK ||
	    dwarf_attr(die, DW_AT_linkage_name, &attr, NULL) != DW_DLV_OK)
		return;
	method = calloc(1, sizeof(*method));
	if (method && dwarf_formstring(attr, &linkage, NULL) == DW_DLV_OK) {
		method->kind = classes_kind_of(class, die, name);
		method->name = strdup(name);
		method->is_virtual = rfs_dwarf_has(die, DW_AT_virtuality);
		method->object = rfs_prototypes_type_at(p, class_offset);
		classes_take_place(p, scope, die, method);
		whole = whole_object(linkage, method->kind);
		method->is_exported = whole && p->is_exported(p->arg, whole);
	}
	dwarf_dealloc_attribute(attr);
	if (!method || !method->name || !whole || !add_row(p, method, whole, rfs_prototypes_type_at(p, offset))) {
		p->no_memory = true;
		free(whole);
		free_method(method);
	}
}

/* Methods of a base class get the address of the object if it begins with the object of the base class. */
static void take_base(struct rfs_prototypes *p, Dwarf_Die class, Dwarf_Die die)
{
	Dwarf_Off class_offset, offset;
	Dwarf_Attribute attr;
	int64_t place;

	if (!is_public(p, tag_of(class), die) || rfs_dwarf_has(die, DW_AT_virtuality) ||
	    !rfs_dwarf_number(p, die, DW_AT_data_member_location, &place) || place != 0 ||
	    dwarf_dieoffset(class, &class_offset, NULL) != DW_DLV_OK ||
	    dwarf_attr(die, DW_AT_type, &attr, NULL) != DW_DLV_OK)
		return;
	if (dwarf_global_formref(attr, &offset, NULL) == DW_DLV_OK)
		rfs_prototypes_type_at(p, class_offset)->base = rfs_prototypes_type_at(p, offset);
	dwarf_dealloc_attribute(attr);
}

static void drop_rows(struct rfs_prototypes *p, size_t n)
{
	while (p->n > n) {
		free((char *)p->rows[--p->n].function);
		free_method(p->methods[p->n]);
	}
}

static void read_class(struct rfs_prototypes *p, const struct scope *scope, Dwarf_Die class)
{
	size_t before = p->n;
	bool any = false;
	Dwarf_Die child, next;
	int result;

	if (!is_class(tag_of(class)) || scope->is_std || scope->is_hidden || !is_public(p, scope->tag, class) ||
	    rfs_dwarf_has(class, DW_AT_declaration))
		return;
	result = dwarf_child(class, &child, NULL);
	while (result == DW_DLV_OK) {
		if (tag_of(child) == DW_TAG_subprogram)
			add_method(p, scope, class, child);
		else if (tag_of(child) == DW_TAG_inheritance)
			take_base(p, class, child);
		result = dwarf_siblingof_b(p->dbg, child, true, &next, NULL);
		dwarf_dealloc_die(child);
		child = next;
	}
	for (size_t i = before; i < p->n; i++)
		any |= p->methods[i]->is_exported;
	if (!any)
		drop_rows(p, before);
}

/* ---- units ---- */

static void classes_read_unit(struct rfs_prototypes *p, Dwarf_Die unit, Dwarf_Half version)
{
	struct scope scope = {.name = "", .version = version};

	if (dwarf_srcfiles(unit, &scope.files, &scope.n_files, NULL) != DW_DLV_OK)
		scope.n_files = 0;
	walk(p, &scope, unit, name_type);
	walk(p, &scope, unit, read_class);
	for (Dwarf_Signed i = 0; i < scope.n_files; i++)
		dwarf_dealloc(p->dbg, scope.files[i], DW_DLA_STRING);
	if (scope.n_files)
		dwarf_dealloc(p->dbg, scope.files, DW_DLA_LIST);
}

int rfs_prototypes_read_classes(const char *path, bool (*is_exported)(void *arg, const char *name), void *arg,
				struct rfs_prototypes **out, char *why, size_t n)
{
	struct rfs_prototypes *p = calloc(1, sizeof(*p));

	if (!p) {
		snprintf(why, n, "%s: %s", path, strerror(ENOMEM));
		return -ENOMEM;
	}
	p->is_cxx = true;
	p->is_exported = is_exported;
	p->arg = arg;
	return rfs_prototypes_finish(p, rfs_prototypes_open(path, classes_read_unit, p, why, n), out);
}

void rfs_c_set_traits(const struct rfs_c_type *class, bool is_abstract, bool is_by_reference)
{
	struct rfs_c_type *type = (struct rfs_c_type *)class; /* of a node */

	type->is_abstract = is_abstract;
	type->is_by_reference = is_by_reference;
}

void rfs_prototypes_free_classes(struct rfs_prototypes *p)
{
	struct rfs_cxx_name *name, *next;

	HASH_ITER (hh, p->names, name, next) {
		HASH_DEL(p->names, name);
		free(name->name);
		free(name);
	}
	if (p->is_cxx)
		drop_rows(p, 0);
	free(p->methods);
}
