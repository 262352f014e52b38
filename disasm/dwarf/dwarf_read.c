/*
 * dwarf_read.c - reads all units of .debug_info and .debug_types and keeps the entries that are needed as nodes.
 *
 * Damage affects only the unit that contains it. A unit is dropped if libdwarf cannot read it, or if the offsets of its
 * entries do not ascend. (A chain of siblings that leads back would never end.) The other units are kept.
 */
#include "disasm/dwarf/dwarf_read-priv.h"

#include <errno.h>
#include <libdwarf/dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The deepest nesting of entries. Compilers stay far below it. */
#define DEPTH_MAX 256

static void dwarf_read_on_error(Dwarf_Error error, Dwarf_Ptr arg)
{
	struct rfs_dwarf_reader *reader = arg;

	/* Only frees the error, because the result of each call is checked. libdwarf would abort if it had no
	 * handler. */
	if (reader->dbg)
		dwarf_dealloc_error(reader->dbg, error);
}

enum interest {
	IGNORE,	 /* keep neither the entry nor its children */
	THROUGH, /* keep only its children */
	LEAF,	 /* keep only the entry */
	KEEP,	 /* keep both */
};

static enum interest interest_of(Dwarf_Half tag)
{
	switch (tag) {
	case DW_TAG_compile_unit:
	case DW_TAG_partial_unit:
	case DW_TAG_type_unit:
	case DW_TAG_skeleton_unit:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		return THROUGH;
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_array_type:
		return KEEP;
	case DW_TAG_base_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_typedef:
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
	case DW_TAG_ptr_to_member_type:
	case DW_TAG_subrange_type:
	case DW_TAG_member:
	case DW_TAG_inheritance:
	case DW_TAG_variable:
		return LEAF;
	default:
		return IGNORE;
	}
}

static bool is_block(Dwarf_Half tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* Whether node is a variable without a fixed place, for example in a register. Queries never need these. */
static bool dwarf_read_moves(const struct rfs_dwarf_node *node)
{
	return node->tag == DW_TAG_variable && !(node->flags & (RFS_DWARF_LOCATED | RFS_DWARF_FRAMED)) &&
	       node->location == RFS_DWARF_NO_REF;
}

static int check_order(struct rfs_dwarf_reader *reader, Dwarf_Die die, rfs_dwarf_ref *self)
{
	Dwarf_Off offset;

	if (dwarf_dieoffset(die, &offset, NULL) != DW_DLV_OK || offset >= RFS_DWARF_REF_SIGNATURE)
		return -EBADMSG;
	*self = offset | (reader->unit.in_types ? RFS_DWARF_REF_TYPES : 0);
	if (reader->unit.last != RFS_DWARF_NO_REF && *self <= reader->unit.last)
		return -EBADMSG;
	reader->unit.last = *self;
	return 0;
}

static int walk_children(struct rfs_dwarf_reader *reader, Dwarf_Die die, uint32_t parent, int depth);

static int dwarf_read_walk(struct rfs_dwarf_reader *reader, Dwarf_Die die, uint32_t parent, int depth)
{
	struct rfs_dwarf_node node = {.parent = parent, .unit = reader->unit.index};
	const bool in_block = reader->unit.in_block;
	uint32_t index = parent;
	enum interest interest;
	Dwarf_Half tag;
	int rc;

	if (check_order(reader, die, &node.self) || dwarf_tag(die, &tag, NULL) != DW_DLV_OK)
		return -EBADMSG;
	interest = interest_of(tag);
	if (interest == IGNORE)
		return 0;
	if (interest != THROUGH) {
		node.tag = tag;
		rc = rfs_dwarf_attributes(reader, die, &node);
		if (rc)
			return rc;
		if (dwarf_read_moves(&node))
			return 0;
		if (in_block)
			node.flags |= RFS_DWARF_IN_BLOCK;
		index = (uint32_t)reader->nodes.n;
		*(struct rfs_dwarf_node *)rfs_dwarf_array_add(&reader->nodes, sizeof(node)) = node;
	}
	if (interest != LEAF)
		reader->unit.in_block = is_block(tag) || (in_block && interest == THROUGH);
	rc = interest == LEAF ? 0 : walk_children(reader, die, index, depth + 1);
	reader->unit.in_block = in_block;
	if (interest != THROUGH)
		rfs_dwarf_node(reader, index)->end = (uint32_t)reader->nodes.n;
	return rc;
}

static int walk_children(struct rfs_dwarf_reader *reader, Dwarf_Die die, uint32_t parent, int depth)
{
	Dwarf_Die child, next;
	int rc;

	if (depth > DEPTH_MAX)
		return -EBADMSG;
	rc = dwarf_child(die, &child, NULL);
	if (rc != DW_DLV_OK)
		return rc == DW_DLV_NO_ENTRY ? 0 : -EBADMSG;
	for (;;) {
		rc = dwarf_read_walk(reader, child, parent, depth);
		if (!rc) {
			rc = dwarf_siblingof_b(reader->dbg, child, !reader->unit.in_types, &next, NULL);
			rc = rc == DW_DLV_OK ? 0 : rc == DW_DLV_NO_ENTRY ? 1 : -EBADMSG;
		}
		dwarf_dealloc_die(child);
		if (rc)
			return rc < 0 ? rc : 0;
		child = next;
	}
}

/* Whether a node from index first on has this tag. */
static bool has_tag(const struct rfs_dwarf_reader *reader, size_t first, uint16_t tag)
{
	for (size_t i = first; i < reader->nodes.n; i++) {
		if (rfs_dwarf_node(reader, i)->tag == tag)
			return true;
	}
	return false;
}

/* How the debug information of a unit shows which objects are atomic. The unit's nodes begin at index first. */
static enum rfs_dwarf_tells tells_atomics(const struct rfs_dwarf_reader *reader, uint16_t language, size_t first)
{
	switch (language) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x2b: /* DW_LANG_C_plus_plus_17 and _20, which this libdwarf does not know */
	case 0x2c:
	case DW_LANG_Rust:
		/* Atomic classes are recognised by name, which needs namespaces. DWARF 2 does not have them. */
		if (reader->unit.version >= 3 || has_tag(reader, first, DW_TAG_namespace))
			return RFS_DWARF_TELLS_BY_FRAME;
		return RFS_DWARF_TELLS_NOT;
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
		/* DWARF 5 has DW_TAG_atomic_type */
		return reader->unit.version >= 5 ? RFS_DWARF_TELLS_BY_TYPE : RFS_DWARF_TELLS_NOT;
	default:
		return RFS_DWARF_TELLS_NOT;
	}
}

/* Whether the unit has code. Type and partial units have none: they only hold what several units share. */
static bool has_code(Dwarf_Die die)
{
	Dwarf_Half tag;

	return dwarf_tag(die, &tag, NULL) == DW_DLV_OK && (tag == DW_TAG_compile_unit || tag == DW_TAG_skeleton_unit);
}

/* Reads the unit whose header was read last. Returns 0, or -EBADMSG if its entries were dropped or its lines are
 * incomplete. */
static int dwarf_read_unit(struct rfs_dwarf_reader *reader)
{
	size_t first_node = reader->nodes.n, first_range = reader->ranges.n;
	struct rfs_dwarf_unit *unit;
	uint16_t language;
	Dwarf_Die die = NULL;
	int rc, lines = 0;

	if (dwarf_siblingof_b(reader->dbg, NULL, !reader->unit.in_types, &die, NULL) != DW_DLV_OK)
		return -EBADMSG;
	reader->unit.index = RFS_DWARF_SHARED_UNIT;
	if (has_code(die)) {
		reader->unit.index = (uint32_t)reader->tables.table[RFS_DWARF_UNITS].n;
		(void)rfs_dwarf_array_add(&reader->tables.table[RFS_DWARF_UNITS], sizeof(*unit));
	}
	reader->unit.die = die;
	reader->unit.in_block = false;
	reader->unit.files = NULL;
	reader->unit.n_files = 0;
	rfs_dwarf_unit_attributes(die, &language, &reader->unit.base);
	if (reader->unit.index != RFS_DWARF_SHARED_UNIT)
		lines = rfs_dwarf_read_lines(reader, die);
	rc = reader->unit.address_size == 8 ? dwarf_read_walk(reader, die, RFS_DWARF_NONE, 0) : -EBADMSG;
	if (rc) {
		reader->nodes.n = first_node;
		reader->ranges.n = first_range;
	}
	unit = (struct rfs_dwarf_unit *)reader->tables.table[RFS_DWARF_UNITS].rows + reader->unit.index;
	unit->tells_atomics = rc ? RFS_DWARF_TELLS_NOT : tells_atomics(reader, language, first_node);
	unit->has_types = has_tag(reader, first_node, DW_TAG_base_type);
	free(reader->unit.files);
	dwarf_dealloc_die(die);
	return rc ? rc : lines;
}

/* Reads .debug_types if in_types, otherwise .debug_info. */
static void read_section(struct rfs_dwarf_reader *reader, bool in_types)
{
	reader->unit.in_types = in_types;
	reader->unit.last = RFS_DWARF_NO_REF;
	for (Dwarf_Unsigned before = 0;;) {
		Dwarf_Unsigned length, type_offset, next;
		Dwarf_Half version, address_size, length_size, extension_size, kind;
		Dwarf_Off abbrev;
		Dwarf_Sig8 signature;
		int rc;

		rc = dwarf_next_cu_header_d(reader->dbg, !in_types, &length, &version, &abbrev, &address_size,
					    &length_size, &extension_size, &signature, &type_offset, &next, &kind,
					    NULL);
		if (rc == DW_DLV_NO_ENTRY)
			return;
		reader->n_units++;
		if (rc != DW_DLV_OK || next <= before) { /* the start of the next unit is unknown */
			reader->n_damaged++;
			return;
		}
		if (kind == DW_UT_type || in_types) {
			struct rfs_dwarf_signature *type = rfs_dwarf_array_add(&reader->signatures, sizeof(*type));

			memcpy(&type->signature, &signature, sizeof(type->signature));
			type->type = (before + type_offset) | (in_types ? RFS_DWARF_REF_TYPES : 0);
		}
		reader->unit.version = version;
		reader->unit.address_size = (uint8_t)address_size;
		if (dwarf_read_unit(reader))
			reader->n_damaged++;
		before = next;
	}
}

static int compare_signatures(const void *a, const void *b)
{
	const struct rfs_dwarf_signature *x = a, *y = b;

	return x->signature < y->signature ? -1 : x->signature > y->signature;
}

int rfs_dwarf_read(struct rfs_dwarf_reader *reader, int fd, char *why, size_t n)
{
	int rc;

	(void)rfs_dwarf_array_add(&reader->tables.table[RFS_DWARF_UNITS], sizeof(struct rfs_dwarf_unit));
	(void)dwarf_set_de_alloc_flag(0); /* libdwarf then keeps no tree of its allocations. This is twice as fast, and
					     the process ends soon anyway. */
	rc = dwarf_init_b(fd, DW_DLC_READ, DW_GROUPNUMBER_BASE, dwarf_read_on_error, reader, &reader->dbg, NULL);
	if (rc != DW_DLV_OK) {
		snprintf(why, n, rc == DW_DLV_NO_ENTRY ? "no debug information" : "the debug sections are damaged");
		return rc == DW_DLV_NO_ENTRY ? -ENODATA : -EBADMSG;
	}
	rfs_dwarf_line_section(reader, fd);
	read_section(reader, false);
	read_section(reader, true);
	if (reader->signatures.n)
		qsort(reader->signatures.rows, reader->signatures.n, sizeof(struct rfs_dwarf_signature),
		      compare_signatures);
	why[0] = '\0';
	if (reader->n_damaged)
		snprintf(why, n, "the debug information of %zu of %zu units is damaged", reader->n_damaged,
			 reader->n_units);
	if (reader->n_damaged && !reader->nodes.n && !reader->rows.n)
		return -EBADMSG;
	rfs_dwarf_make_rows(reader);
	rfs_dwarf_make_frames(reader);
	rfs_dwarf_make_variables(reader);
	return 0;
}
