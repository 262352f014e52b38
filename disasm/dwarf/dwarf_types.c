/*
 * dwarf_types.c - static variables, variables on the stack, their types, and the types that contain atomic objects.
 *
 * Only types that a variable or an atomic object needs are kept. In damaged data, a type may contain itself. Reading
 * such a type ends, because a type that is still being made is not read again. Code that walks the finished types must
 * limit the depth.
 */
#include "disasm/dwarf/dwarf_read-priv.h"

#include <libdwarf/dwarf.h>
#include <stdlib.h>
#include <string.h>

/* The most qualifiers and typedefs in a row, and the deepest nesting of types. More is damage. */
#define DEPTH_MAX 64
#define POINTER_SIZE 8

static struct rfs_dwarf_type *dwarf_types_type_row(const struct rfs_dwarf_reader *reader, uint32_t type)
{
	return (struct rfs_dwarf_type *)reader->tables.table[RFS_DWARF_TYPES].rows + type;
}

static bool dwarf_types_is_record(uint16_t tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/*
 * Follows typedefs and qualifiers. Sets *atomic if one of them makes the object atomic: _Atomic, or libstdc++'s
 * _Atomic_word, which libstdc++ accesses only with atomic built-ins.
 */
static uint32_t strip(const struct rfs_dwarf_reader *reader, rfs_dwarf_ref ref, bool *atomic)
{
	for (int i = 0; i < DEPTH_MAX; i++) {
		uint32_t index = rfs_dwarf_resolve(reader, ref);
		const struct rfs_dwarf_node *node;

		if (index == RFS_DWARF_NONE)
			return index;
		node = rfs_dwarf_node(reader, index);
		switch (node->tag) {
		case DW_TAG_atomic_type:
			*atomic = true;
			break;
		case DW_TAG_typedef:
			if (!strcmp(rfs_dwarf_string(&reader->tables, node->name), "_Atomic_word"))
				*atomic = true;
			break;
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
			break;
		default:
			/* A class that is defined in a type unit: its type is DW_AT_signature. */
			if (dwarf_types_is_record(node->tag) && node->type != RFS_DWARF_NO_REF)
				break;
			return index;
		}
		ref = node->type;
	}
	return RFS_DWARF_NONE;
}

static bool is_atomic_class(struct rfs_dwarf_reader *reader, uint32_t index)
{
	return dwarf_types_is_record(rfs_dwarf_node(reader, index)->tag) &&
	       rfs_dwarf_atomic_name(rfs_dwarf_string(&reader->tables, rfs_dwarf_qualified(reader, index))) ==
		       RFS_DWARF_ATOMIC;
}

static uint32_t make_type(struct rfs_dwarf_reader *reader, rfs_dwarf_ref ref, int depth);

static bool is_data_member(const struct rfs_dwarf_node *node, uint32_t record)
{
	return node->parent == record && !(node->flags & RFS_DWARF_DECLARATION) &&
	       (node->tag == DW_TAG_member || node->tag == DW_TAG_inheritance);
}

/* Makes the members of a type. They must be consecutive in the table. So they are collected first, because making their
 * types adds members too. */
static void make_members(struct rfs_dwarf_reader *reader, uint32_t record, uint32_t type, int depth)
{
	struct rfs_dwarf_array members = {.rows = NULL};
	const struct rfs_dwarf_node *node = rfs_dwarf_node(reader, record);

	for (uint32_t i = record + 1; i < node->end; i = rfs_dwarf_node(reader, i)->end) {
		const struct rfs_dwarf_node *member = rfs_dwarf_node(reader, i);
		struct rfs_dwarf_member *row;

		uint32_t of;

		if (!is_data_member(member, record))
			continue;
		of = make_type(reader, member->type, depth + 1);
		/* Skip an empty base class: its size is one byte, which it shares with the first member. */
		if (member->tag == DW_TAG_inheritance && of != RFS_DWARF_NONE && !dwarf_types_type_row(reader, of)->n &&
		    !dwarf_types_type_row(reader, of)->atomic)
			continue;
		row = rfs_dwarf_array_add(&members, sizeof(*row));
		row->offset = member->location;
		row->size = member->size;
		row->name = member->tag == DW_TAG_member ? member->name : 0;
		row->type = of;
		if (!row->size && row->type != RFS_DWARF_NONE)
			row->size = dwarf_types_type_row(reader, row->type)->size;
	}
	dwarf_types_type_row(reader, type)->first = (uint32_t)reader->tables.table[RFS_DWARF_MEMBERS].n;
	dwarf_types_type_row(reader, type)->n = (uint32_t)members.n;
	for (size_t i = 0; i < members.n; i++)
		*(struct rfs_dwarf_member *)rfs_dwarf_array_add(&reader->tables.table[RFS_DWARF_MEMBERS],
								sizeof(struct rfs_dwarf_member)) =
			((struct rfs_dwarf_member *)members.rows)[i];
	free(members.rows);
}

static uint32_t add_type(struct rfs_dwarf_reader *reader, uint64_t size, enum rfs_dwarf_kind kind)
{
	struct rfs_dwarf_type *type = rfs_dwarf_array_add(&reader->tables.table[RFS_DWARF_TYPES], sizeof(*type));

	type->size = size;
	type->kind = kind;
	type->element = RFS_DWARF_NONE;
	return (uint32_t)reader->tables.table[RFS_DWARF_TYPES].n - 1;
}

/* Makes an array type. DWARF has one array with a subrange for each dimension, the slowest first. Here each dimension
 * is an array type whose element is the next one. */
static uint32_t make_array(struct rfs_dwarf_reader *reader, uint32_t array, uint32_t type, int depth)
{
	const struct rfs_dwarf_node *node = rfs_dwarf_node(reader, array);
	uint32_t dimensions[DEPTH_MAX], n = 0, inner;

	for (uint32_t i = array + 1; i < node->end && n < DEPTH_MAX; i = rfs_dwarf_node(reader, i)->end) {
		if (rfs_dwarf_node(reader, i)->parent == array &&
		    rfs_dwarf_node(reader, i)->tag == DW_TAG_subrange_type)
			dimensions[n++] = i;
	}
	inner = make_type(reader, node->type, depth + 1);
	while (n) {
		const struct rfs_dwarf_node *dimension = rfs_dwarf_node(reader, dimensions[--n]);
		uint64_t element = inner == RFS_DWARF_NONE ? 0 : dwarf_types_type_row(reader, inner)->size, size = 0;
		uint32_t outer;

		if (dimension->flags & RFS_DWARF_COUNTED && __builtin_mul_overflow(element, dimension->size, &size))
			size = 0;
		outer = n ? add_type(reader, size, RFS_DWARF_ARRAY) : type;
		dwarf_types_type_row(reader, outer)->size = size;
		dwarf_types_type_row(reader, outer)->element = inner;
		inner = outer;
	}
	return type;
}

/* The type of the entry at ref, made if necessary; RFS_DWARF_NONE if it is not known. */
static uint32_t make_type(struct rfs_dwarf_reader *reader, rfs_dwarf_ref ref, int depth)
{
	bool atomic = false;
	uint32_t index = strip(reader, ref, &atomic), type;
	struct rfs_dwarf_node *node;
	uint64_t size;

	if (index == RFS_DWARF_NONE || depth > DEPTH_MAX)
		return RFS_DWARF_NONE;
	node = rfs_dwarf_node(reader, index);
	if (!atomic && node->made)
		return node->made - 1;
	size = node->size;
	if (!size && (node->tag == DW_TAG_pointer_type || node->tag == DW_TAG_reference_type ||
		      node->tag == DW_TAG_rvalue_reference_type))
		size = POINTER_SIZE;
	if (atomic || is_atomic_class(reader, index)) {
		/* No query looks inside an atomic object, so SCALAR will do for any kind. */
		type = add_type(reader, size, RFS_DWARF_SCALAR);
		dwarf_types_type_row(reader, type)->atomic = 1;
		if (!atomic)
			node->made = type + 1;
		return type;
	}
	if (dwarf_types_is_record(node->tag) && node->flags & RFS_DWARF_DECLARATION)
		return RFS_DWARF_NONE;
	type = add_type(reader, size,
			node->tag == DW_TAG_union_type	   ? RFS_DWARF_UNION
			: dwarf_types_is_record(node->tag) ? RFS_DWARF_STRUCT
			: node->tag == DW_TAG_array_type   ? RFS_DWARF_ARRAY
							   : RFS_DWARF_SCALAR);
	node->made = type + 1;
	if (dwarf_types_is_record(node->tag))
		make_members(reader, index, type, depth);
	else if (node->tag == DW_TAG_array_type)
		make_array(reader, index, type, depth);
	return type;
}

/* ---- variables ---- */

static int compare_variables(const void *a, const void *b)
{
	const struct rfs_dwarf_variable *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1; /* a variable of unknown type has size 1 */
	return x->name < y->name ? -1 : x->name > y->name;
}

/* Sorts the variables and keeps one for each address. Several units may have the same inline variable, and declarations
 * have no size. */
static void sort_variables(struct rfs_dwarf_array *variables)
{
	struct rfs_dwarf_variable *rows = variables->rows;
	size_t kept = 0;

	if (!variables->n)
		return;
	qsort(rows, variables->n, sizeof(*rows), compare_variables);
	for (size_t i = 0; i < variables->n; i++) {
		if (!kept || rows[kept - 1].start + rows[kept - 1].size <= rows[i].start)
			rows[kept++] = rows[i];
	}
	variables->n = kept;
}

static rfs_dwarf_ref type_along(const struct rfs_dwarf_reader *reader, uint32_t node)
{
	const struct rfs_dwarf_node *entry = rfs_dwarf_node(reader, node);

	if (entry->type == RFS_DWARF_NO_REF || entry->origin == RFS_DWARF_NO_REF)
		entry = entry->type != RFS_DWARF_NO_REF ? entry
							: rfs_dwarf_node(reader, rfs_dwarf_origin(reader, node));
	return entry->type;
}

static void make_variables(struct rfs_dwarf_reader *reader)
{
	struct rfs_dwarf_array *variables = &reader->tables.table[RFS_DWARF_VARIABLES];

	for (uint32_t i = 0; i < reader->nodes.n; i++) {
		const struct rfs_dwarf_node *node = rfs_dwarf_node(reader, i);
		struct rfs_dwarf_variable variable = {.start = node->location, .unit = node->unit};

		if (node->tag != DW_TAG_variable || !(node->flags & RFS_DWARF_LOCATED) ||
		    !rfs_dwarf_range_holds(&reader->data, variable.start))
			continue;
		variable.name = rfs_dwarf_qualified(reader, i);
		if (!variable.name)
			continue;
		variable.type = make_type(reader, type_along(reader, i), 0);
		variable.size = variable.type == RFS_DWARF_NONE ? 0 : dwarf_types_type_row(reader, variable.type)->size;
		if (!variable.size || variable.start + variable.size < variable.start)
			variable.size = 1;
		*(struct rfs_dwarf_variable *)rfs_dwarf_array_add(variables, sizeof(variable)) = variable;
	}
	sort_variables(variables);
}

/* ---- variables on the stack ---- */

static int compare_locals(const void *a, const void *b)
{
	const struct rfs_dwarf_local *x = a, *y = b;

	if (x->frame != y->frame)
		return x->frame < y->frame ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

/* The function whose stack frame has the variables of an inlined function: the one that all was inlined into. */
static struct rfs_dwarf_node *dwarf_types_function_of(const struct rfs_dwarf_reader *reader,
						      struct rfs_dwarf_node *node)
{
	while (node->tag != DW_TAG_subprogram && node->parent != RFS_DWARF_NONE)
		node = rfs_dwarf_node(reader, node->parent);
	return node;
}

/* If the frame base of the function is the stack pointer, finds its offset. */
static void find_base(struct rfs_dwarf_reader *reader, struct rfs_dwarf_node *function)
{
	const struct rfs_dwarf_range *range = (const struct rfs_dwarf_range *)reader->ranges.rows + function->range;
	uint64_t size;

	if (!(function->flags & RFS_DWARF_ON_RSP))
		return;
	function->flags &= (uint8_t)~RFS_DWARF_ON_RSP;
	if (!function->n_ranges || !rfs_dwarf_frame_size(reader, range->start, &size))
		return;
	function->location = -size;
	function->flags |= RFS_DWARF_BASED;
}

static void make_locals(struct rfs_dwarf_reader *reader)
{
	struct rfs_dwarf_array *locals = &reader->tables.table[RFS_DWARF_LOCALS];

	for (uint32_t i = 0; i < reader->nodes.n; i++) {
		struct rfs_dwarf_node *node = rfs_dwarf_node(reader, i), *function;
		struct rfs_dwarf_local local = {.unit = node->unit};

		if (node->tag != DW_TAG_variable || !(node->flags & RFS_DWARF_FRAMED))
			continue;
		function = dwarf_types_function_of(reader, node);
		find_base(reader, function);
		local.frame = rfs_dwarf_parent_frame(reader, node);
		local.in_block = !!(node->flags & RFS_DWARF_IN_BLOCK);
		local.start = (int64_t)(node->location + function->location);
		local.name = rfs_dwarf_qualified(reader, i);
		if (!(function->flags & RFS_DWARF_BASED) || local.frame == RFS_DWARF_NONE || !local.name)
			continue;
		local.type = make_type(reader, type_along(reader, i), 0);
		local.size = local.type == RFS_DWARF_NONE ? 0 : dwarf_types_type_row(reader, local.type)->size;
		if (!local.size)
			local.size = 1;
		*(struct rfs_dwarf_local *)rfs_dwarf_array_add(locals, sizeof(local)) = local;
	}
	if (locals->n)
		qsort(locals->rows, locals->n, sizeof(struct rfs_dwarf_local), compare_locals);
}

/* ---- atomic objects ---- */

enum { UNKNOWN, NO, YES, BUSY };

static bool holds_atomic(struct rfs_dwarf_reader *reader, rfs_dwarf_ref ref, int depth)
{
	bool atomic = false, holds = false;
	uint32_t index = strip(reader, ref, &atomic);
	struct rfs_dwarf_node *node;

	if (atomic)
		return true;
	if (index == RFS_DWARF_NONE || depth > DEPTH_MAX)
		return false;
	node = rfs_dwarf_node(reader, index);
	if (node->holds_atomic)
		return node->holds_atomic == YES;
	if (node->tag == DW_TAG_array_type)
		return holds_atomic(reader, node->type, depth + 1);
	if (!dwarf_types_is_record(node->tag))
		return false;
	node->holds_atomic = BUSY;
	holds = is_atomic_class(reader, index);
	for (uint32_t i = index + 1; i < node->end && !holds; i = rfs_dwarf_node(reader, i)->end) {
		const struct rfs_dwarf_node *member = rfs_dwarf_node(reader, i);

		holds = is_data_member(member, index) && holds_atomic(reader, member->type, depth + 1);
	}
	node->holds_atomic = holds ? YES : NO;
	return holds;
}

static int compare_atomics(const void *a, const void *b)
{
	const struct rfs_dwarf_atomic *x = a, *y = b;

	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	return x->type < y->type ? -1 : x->type > y->type;
}

/*
 * Collects structures and unions with an atomic member, and the targets of pointers to C atomics (`_Atomic int *p` has
 * no structure). Pointers to a std::atomic are not needed: only its own methods access it, and rfs_dwarf_in_atomic()
 * recognises these by their frames.
 */
static void make_atomics(struct rfs_dwarf_reader *reader)
{
	struct rfs_dwarf_array *atomics = &reader->tables.table[RFS_DWARF_ATOMICS];

	for (uint32_t i = 0; i < reader->nodes.n; i++) {
		const struct rfs_dwarf_node *node = rfs_dwarf_node(reader, i);
		bool atomic = false;
		uint32_t type = RFS_DWARF_NONE, unit = node->unit;

		if (dwarf_types_is_record(node->tag) && !(node->flags & RFS_DWARF_DECLARATION)) {
			if (!is_atomic_class(reader, i) && holds_atomic(reader, node->self, 0))
				type = make_type(reader, node->self, 0);
		} else if (node->tag == DW_TAG_pointer_type) {
			(void)strip(reader, node->type, &atomic);
			if (atomic)
				type = make_type(reader, node->type, 0);
		}
		if (type != RFS_DWARF_NONE) {
			struct rfs_dwarf_atomic *row = rfs_dwarf_array_add(atomics, sizeof(*row));

			row->unit = unit;
			row->type = type;
		}
	}
	if (atomics->n)
		qsort(atomics->rows, atomics->n, sizeof(struct rfs_dwarf_atomic), compare_atomics);
}

/* ---- types with names ---- */

/* A type's definition in one unit. */
struct definition {
	uint64_t size, members; /* members: a hash of their names and offsets */
	uint32_t name, node;
};

static bool is_named_type(const struct rfs_dwarf_node *node)
{
	if (!node->name || node->flags & RFS_DWARF_DECLARATION)
		return false;
	return node->tag == DW_TAG_base_type || node->tag == DW_TAG_enumeration_type || node->tag == DW_TAG_typedef ||
	       dwarf_types_is_record(node->tag);
}

/*
 * Whether the entry is in a library of the language, whose blocks are named by the container that allocated them, or in
 * a function.
 */
static bool is_elsewhere(const struct rfs_dwarf_reader *reader, const struct rfs_dwarf_node *node)
{
	static const char *const names[] = {"std", "core", "alloc", "__gnu_cxx"};
	const char *outer = "";

	while (node->parent != RFS_DWARF_NONE) {
		node = rfs_dwarf_node(reader, node->parent);
		if (node->tag == DW_TAG_subprogram)
			return true; /* its name is not unique */
		outer = rfs_dwarf_string(&reader->tables, node->name);
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(outer, names[i]))
			return true;
	return false;
}

static uint64_t hash_members(const struct rfs_dwarf_reader *reader, uint32_t record)
{
	const struct rfs_dwarf_node *node = rfs_dwarf_node(reader, record);
	uint64_t hash = 0;

	if (!dwarf_types_is_record(node->tag))
		return node->tag;
	for (uint32_t i = record + 1; i < node->end; i = rfs_dwarf_node(reader, i)->end) {
		const struct rfs_dwarf_node *member = rfs_dwarf_node(reader, i);

		if (is_data_member(member, record))
			hash = (hash ^ member->name ^ (member->location << 32)) * 0x9e3779b97f4a7c15ull;
	}
	return hash;
}

static int compare_definitions(const void *a, const void *b)
{
	const struct definition *x = a, *y = b;

	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	if (x->members != y->members)
		return x->members < y->members ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static void make_named(struct rfs_dwarf_reader *reader)
{
	struct rfs_dwarf_array found = {.rows = NULL}, *named = &reader->tables.table[RFS_DWARF_NAMED];
	struct definition *rows;

	for (uint32_t i = 0; i < reader->nodes.n; i++) {
		const struct rfs_dwarf_node *node = rfs_dwarf_node(reader, i);
		bool atomic = false;
		uint32_t record;

		if (!is_named_type(node) || is_elsewhere(reader, node))
			continue;
		record = strip(reader, node->self, &atomic);
		if (record == RFS_DWARF_NONE || rfs_dwarf_node(reader, record)->flags & RFS_DWARF_DECLARATION)
			continue;
		*(struct definition *)rfs_dwarf_array_add(&found, sizeof(struct definition)) =
			(struct definition){rfs_dwarf_node(reader, record)->size, hash_members(reader, record),
					    rfs_dwarf_qualified(reader, i), i};
	}
	rows = found.rows;
	if (found.n)
		qsort(rows, found.n, sizeof(*rows), compare_definitions);
	for (size_t i = 0; i < found.n; i++) {
		struct rfs_dwarf_named row = {.name = rows[i].name};

		if (i && rows[i].name == rows[i - 1].name && rows[i].size == rows[i - 1].size &&
		    rows[i].members == rows[i - 1].members)
			continue;
		row.type = make_type(reader, rfs_dwarf_node(reader, rows[i].node)->self, 0);
		if (row.type != RFS_DWARF_NONE)
			*(struct rfs_dwarf_named *)rfs_dwarf_array_add(named, sizeof(row)) = row;
	}
	free(found.rows);
}

void rfs_dwarf_make_variables(struct rfs_dwarf_reader *reader)
{
	make_variables(reader);
	make_locals(reader);
	make_atomics(reader);
	make_named(reader);
}
