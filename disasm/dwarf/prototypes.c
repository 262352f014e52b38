/*
 * prototypes.c - reads the types of functions with libdwarf. The object was just compiled for rfsup, so it can be
 * trusted and is read in this process. The debug information of the target is not.
 */
#include "disasm/dwarf/prototypes-priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The most typedefs and qualifiers in a row. A file with more is damaged. */
#define DEPTH_MAX 64

static struct rfs_c_type nothing = {.kind = RFS_C_VOID};

static void prototypes_on_error(Dwarf_Error error, Dwarf_Ptr arg)
{
	struct rfs_prototypes *p = arg;

	/* Only frees the error, because the result of each call is checked. */
	if (p->dbg)
		dwarf_dealloc_error(p->dbg, error);
}

bool rfs_dwarf_number(struct rfs_prototypes *p, Dwarf_Die die, Dwarf_Half attribute, int64_t *out)
{
	Dwarf_Attribute attr;
	Dwarf_Signed number;
	Dwarf_Unsigned positive;
	bool found = true;

	if (dwarf_attr(die, attribute, &attr, NULL) != DW_DLV_OK)
		return false;
	if (dwarf_formsdata(attr, &number, NULL) == DW_DLV_OK)
		*out = number;
	else if (dwarf_formudata(attr, &positive, NULL) == DW_DLV_OK)
		*out = (int64_t)positive;
	else
		found = false;
	dwarf_dealloc_attribute(attr);
	(void)p;
	return found;
}

/* Sizes are unsigned, whatever the form of the attribute. */
static uint64_t prototypes_size_of(Dwarf_Die die)
{
	Dwarf_Unsigned size;

	return dwarf_bytesize(die, &size, NULL) == DW_DLV_OK ? size : 0;
}

bool rfs_dwarf_has(Dwarf_Die die, Dwarf_Half attribute)
{
	Dwarf_Bool answer;

	return dwarf_hasattr(die, attribute, &answer, NULL) == DW_DLV_OK && answer;
}

static char *prototypes_name_of(struct rfs_prototypes *p, Dwarf_Die die)
{
	const struct rfs_cxx_name *qualified = rfs_prototypes_name(p, die);
	char *name, *copy;

	if (qualified)
		name = qualified->name;
	else if (dwarf_diename(die, &name, NULL) != DW_DLV_OK)
		return NULL;
	copy = strdup(name);
	p->no_memory |= !copy;
	return copy;
}

/* The type of an entry; void if it has none. */
static const struct rfs_c_type *prototypes_type_of(struct rfs_prototypes *p, Dwarf_Die die)
{
	const struct rfs_c_type *type = &nothing;
	Dwarf_Attribute attr;
	Dwarf_Off offset;

	if (dwarf_attr(die, DW_AT_type, &attr, NULL) != DW_DLV_OK)
		return type;
	if (dwarf_global_formref(attr, &offset, NULL) == DW_DLV_OK)
		type = rfs_prototypes_type_at(p, offset);
	dwarf_dealloc_attribute(attr);
	return type;
}

static void add_parameter(struct rfs_prototypes *p, struct rfs_c_type *function, Dwarf_Die die)
{
	size_t n = function->n_parameters;
	const struct rfs_c_type **more =
		reallocarray((void *)function->parameters, n + 1, sizeof(*function->parameters));

	if (!more) {
		p->no_memory = true;
		return;
	}
	function->parameters = more;
	function->parameters[function->n_parameters++] = prototypes_type_of(p, die);
}

static void prototypes_add_value(struct rfs_prototypes *p, struct rfs_c_type *type, Dwarf_Die die)
{
	struct rfs_c_value *more = reallocarray(type->values, type->n_values + 1, sizeof(*more));

	if (!more) {
		p->no_memory = true;
		return;
	}
	type->values = more;
	more[type->n_values] = (struct rfs_c_value){.name = prototypes_name_of(p, die)};
	if (more[type->n_values].name && rfs_dwarf_number(p, die, DW_AT_const_value, &more[type->n_values].value))
		type->n_values++;
	else
		free(more[type->n_values].name);
}

/* Where a member begins, in bits. A bit-field has its own attribute, or before DWARF 5 a distance from the end of its
 * unit. */
static uint64_t offset_of(struct rfs_prototypes *p, Dwarf_Die die, const struct rfs_c_member *member)
{
	int64_t bytes = 0, bits = 0;
	uint64_t unit = prototypes_size_of(die);

	if (rfs_dwarf_number(p, die, DW_AT_data_bit_offset, &bits))
		return (uint64_t)bits;
	(void)rfs_dwarf_number(p, die, DW_AT_data_member_location, &bytes);
	if (member->bits && rfs_dwarf_number(p, die, DW_AT_bit_offset, &bits))
		bits = (int64_t)(unit ? unit : rfs_c_plain(member->type)->size) * 8 - bits - (int64_t)member->bits;
	return (uint64_t)bytes * 8 + (uint64_t)bits;
}

static void prototypes_add_member(struct rfs_prototypes *p, struct rfs_c_type *record, Dwarf_Die die)
{
	struct rfs_c_member *more = reallocarray(record->members, record->n_members + 1, sizeof(*more)), *member;
	int64_t bits = 0;

	if (!more) {
		p->no_memory = true;
		return;
	}
	record->members = more;
	member = &more[record->n_members++];
	*member = (struct rfs_c_member){.type = prototypes_type_of(p, die)};
	if (rfs_dwarf_number(p, die, DW_AT_bit_size, &bits))
		member->bits = (uint64_t)bits;
	member->offset = offset_of(p, die, member);
	if (rfs_dwarf_has(die, DW_AT_alignment) && rfs_dwarf_number(p, die, DW_AT_alignment, &bits) &&
	    (uint64_t)bits > record->alignment)
		record->alignment = (uint64_t)bits;
}

/* The size of an array comes from its subranges. It has none if it has no bound. */
static void prototypes_add_range(struct rfs_prototypes *p, struct rfs_c_type *array, Dwarf_Die die)
{
	int64_t bound;

	if (rfs_dwarf_number(p, die, DW_AT_count, &bound))
		array->size *= (uint64_t)bound;
	else
		array->size =
			rfs_dwarf_number(p, die, DW_AT_upper_bound, &bound) ? array->size * (uint64_t)(bound + 1) : 0;
}

static bool prototypes_is_record(const struct rfs_c_type *type)
{
	return type->kind == RFS_C_STRUCT || type->kind == RFS_C_UNION;
}

static void add_child(struct rfs_prototypes *p, struct rfs_c_type *type, Dwarf_Die child)
{
	Dwarf_Half tag;

	if (dwarf_tag(child, &tag, NULL) != DW_DLV_OK)
		return;
	/* a destructor may have a hidden parameter behind the object, which only some of its variants get */
	if (type->kind == RFS_C_FUNCTION && tag == DW_TAG_formal_parameter &&
	    (!type->n_parameters || !rfs_dwarf_has(child, DW_AT_artificial)))
		add_parameter(p, type, child);
	else if (type->kind == RFS_C_FUNCTION && tag == DW_TAG_unspecified_parameters)
		type->is_variadic = true;
	else if (type->kind == RFS_C_ENUM && tag == DW_TAG_enumerator)
		prototypes_add_value(p, type, child);
	else if (prototypes_is_record(type) && (tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
		 !rfs_dwarf_has(child, DW_AT_declaration) && !rfs_dwarf_has(child, DW_AT_external))
		prototypes_add_member(p, type, child);
	else if (type->kind == RFS_C_ARRAY && tag == DW_TAG_subrange_type)
		prototypes_add_range(p, type, child);
}

void rfs_prototypes_each_child(struct rfs_prototypes *p, Dwarf_Die die,
			       void (*f)(struct rfs_prototypes *p, struct rfs_c_type *type, Dwarf_Die child),
			       struct rfs_c_type *type)
{
	Dwarf_Die child, next;
	int result = dwarf_child(die, &child, NULL);

	while (result == DW_DLV_OK) {
		f(p, type, child);
		result = dwarf_siblingof_b(p->dbg, child, true, &next, NULL);
		dwarf_dealloc_die(child);
		child = next;
	}
}

static enum rfs_c_kind kind_of_base(Dwarf_Die die, struct rfs_c_type *type)
{
	Dwarf_Attribute attr;
	Dwarf_Unsigned encoding = 0;

	if (dwarf_attr(die, DW_AT_encoding, &attr, NULL) != DW_DLV_OK)
		return RFS_C_UNKNOWN;
	(void)dwarf_formudata(attr, &encoding, NULL);
	dwarf_dealloc_attribute(attr);
	type->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	type->is_character = encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char;
	switch (encoding) {
	case DW_ATE_boolean:
		return RFS_C_BOOL;
	case DW_ATE_float:
		return RFS_C_FLOAT;
	case DW_ATE_complex_float:
		return RFS_C_COMPLEX;
	case DW_ATE_signed:
	case DW_ATE_signed_char:
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
		return RFS_C_INTEGER;
	default:
		return RFS_C_UNKNOWN;
	}
}

static enum rfs_c_kind prototypes_kind_of(Dwarf_Die die, Dwarf_Half tag, struct rfs_c_type *type)
{
	switch (tag) {
	case DW_TAG_base_type:
		return kind_of_base(die, type);
	case DW_TAG_enumeration_type:
		return RFS_C_ENUM;
	case DW_TAG_rvalue_reference_type:
		type->is_rvalue = true;
		/* fall through */
	case DW_TAG_reference_type:
		type->is_reference = true;
		/* fall through */
	case DW_TAG_pointer_type:
		return RFS_C_POINTER;
	case DW_TAG_array_type:
		return rfs_dwarf_has(die, DW_AT_GNU_vector) ? RFS_C_VECTOR : RFS_C_ARRAY;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		return RFS_C_STRUCT;
	case DW_TAG_union_type:
		return RFS_C_UNION;
	case DW_TAG_subroutine_type:
	case DW_TAG_subprogram:
		return RFS_C_FUNCTION;
	case DW_TAG_typedef:
		return RFS_C_TYPEDEF;
	case DW_TAG_const_type:
		return RFS_C_CONST;
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
		return RFS_C_QUALIFIED;
	default:
		return RFS_C_UNKNOWN;
	}
}

/* Returns void if the file does not have the type. The node is added before its parts are read, because they may refer
 * to it. */
struct rfs_c_type *rfs_prototypes_type_at(struct rfs_prototypes *p, Dwarf_Off offset)
{
	struct rfs_c_type *type;
	struct rfs_type_node *node;
	int64_t alignment;
	Dwarf_Half tag;
	Dwarf_Die die;

	HASH_FIND(hh, p->nodes, &offset, sizeof(offset), node);
	if (node)
		return &node->type;
	node = calloc(1, sizeof(*node));
	p->no_memory |= !node;
	if (!node || dwarf_offdie_b(p->dbg, offset, true, &die, NULL) != DW_DLV_OK) {
		free(node);
		return &nothing;
	}
	node->offset = offset;
	HASH_ADD(hh, p->nodes, offset, sizeof(offset), node);
	type = &node->type;
	type->kind = dwarf_tag(die, &tag, NULL) == DW_DLV_OK ? prototypes_kind_of(die, tag, type) : RFS_C_UNKNOWN;
	type->name = prototypes_name_of(p, die);
	type->size = prototypes_size_of(die);
	if (type->kind == RFS_C_POINTER && !type->size)
		type->size = sizeof(void *);
	type->is_cxx = p->is_cxx;
	type->is_declared = rfs_dwarf_has(die, DW_AT_declaration);
	type->to = prototypes_type_of(p, die);
	if (rfs_dwarf_number(p, die, DW_AT_alignment, &alignment))
		type->alignment = (uint64_t)alignment;
	/* prototypes_add_range() multiplies this */
	if (type->kind == RFS_C_ARRAY)
		type->size = rfs_c_plain(type->to)->size;
	rfs_prototypes_each_child(p, die, add_child, type);
	dwarf_dealloc_die(die);
	return type;
}

static void add_variable(struct rfs_prototypes *p, struct rfs_c_type *unused, Dwarf_Die die)
{
	const struct rfs_c_type *type;
	struct rfs_prototype *more;
	struct rfs_type_node *node;
	Dwarf_Half tag;
	Dwarf_Off offset;
	char *name;

	(void)unused;
	if (dwarf_tag(die, &tag, NULL) != DW_DLV_OK || tag != DW_TAG_variable ||
	    dwarf_diename(die, &name, NULL) != DW_DLV_OK || strncmp(name, p->prefix, strlen(p->prefix)) != 0 ||
	    dwarf_dieoffset(die, &offset, NULL) != DW_DLV_OK)
		return;
	type = rfs_c_plain(prototypes_type_of(p, die));
	if (type->kind != RFS_C_POINTER || rfs_c_plain(type->to)->kind != RFS_C_FUNCTION)
		return;
	/* a node with the variable's offset owns the name */
	node = calloc(1, sizeof(*node));
	more = reallocarray(p->rows, p->n + 1, sizeof(*more));
	if (more)
		p->rows = more;
	if (!node || !more || !(node->type.name = strdup(name + strlen(p->prefix)))) {
		free(node);
		p->no_memory = true;
		return;
	}
	node->offset = offset;
	node->type.kind = RFS_C_UNKNOWN;
	HASH_ADD(hh, p->nodes, offset, sizeof(offset), node);
	p->rows[p->n++] = (struct rfs_prototype){node->type.name, rfs_c_plain(type->to), NULL};
}

static void prototypes_read_unit(struct rfs_prototypes *p, Dwarf_Die unit, Dwarf_Half version)
{
	(void)version;
	rfs_prototypes_each_child(p, unit, add_variable, NULL);
}

/* Reads all units in order, because libdwarf only steps from one unit to the next. */
static void read_units(struct rfs_prototypes *p, rfs_prototypes_unit_fn *read)
{
	Dwarf_Unsigned length, type_offset, next;
	Dwarf_Off abbrev;
	Dwarf_Half version, address_size, offset_size, extension, kind;
	Dwarf_Sig8 signature;
	Dwarf_Die unit;

	while (dwarf_next_cu_header_d(p->dbg, true, &length, &version, &abbrev, &address_size, &offset_size, &extension,
				      &signature, &type_offset, &next, &kind, NULL) == DW_DLV_OK) {
		if (dwarf_siblingof_b(p->dbg, NULL, true, &unit, NULL) != DW_DLV_OK)
			continue;
		read(p, unit, version);
		dwarf_dealloc_die(unit);
	}
}

int rfs_prototypes_open(const char *path, rfs_prototypes_unit_fn *read, struct rfs_prototypes *p, char *why, size_t n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), error = 0;

	if (fd < 0) {
		error = -errno;
	} else if (dwarf_init_b(fd, DW_DLC_READ, DW_GROUPNUMBER_ANY, prototypes_on_error, p, &p->dbg, NULL) !=
		   DW_DLV_OK) {
		error = -ENODATA;
	} else {
		read_units(p, read);
		(void)dwarf_finish(p->dbg, NULL);
		p->dbg = NULL;
		error = p->no_memory ? -ENOMEM : 0;
	}
	if (fd >= 0)
		close(fd);
	if (error)
		snprintf(why, n, "%s: %s", path,
			 error == -ENODATA ? "no debug information can be read" : strerror(-error));
	return error;
}

/* Takes over p, and gives it to the caller. */
int rfs_prototypes_finish(struct rfs_prototypes *p, int error, struct rfs_prototypes **out)
{
	if (error)
		rfs_prototypes_free(p);
	else
		*out = p;
	return error;
}

int rfs_prototypes_read(const char *path, const char *prefix, struct rfs_prototypes **out, char *why, size_t n)
{
	struct rfs_prototypes *p = calloc(1, sizeof(*p));

	if (!p) {
		snprintf(why, n, "%s: %s", path, strerror(ENOMEM));
		return -ENOMEM;
	}
	p->prefix = prefix;
	return rfs_prototypes_finish(p, rfs_prototypes_open(path, prototypes_read_unit, p, why, n), out);
}

void rfs_prototypes_free(struct rfs_prototypes *p)
{
	struct rfs_type_node *node, *next;

	if (!p)
		return;
	HASH_ITER (hh, p->nodes, node, next) {
		HASH_DEL(p->nodes, node);
		for (size_t i = 0; i < node->type.n_values; i++)
			free(node->type.values[i].name);
		free(node->type.values);
		free(node->type.members);
		free((void *)node->type.parameters);
		free(node->type.name);
		free(node);
	}
	rfs_prototypes_free_classes(p);
	free(p->rows);
	free(p);
}

size_t rfs_prototypes(const struct rfs_prototypes *p, const struct rfs_prototype **out)
{
	*out = p->rows;
	return p->n;
}

const struct rfs_c_type *rfs_c_plain(const struct rfs_c_type *type)
{
	for (int i = 0; i < DEPTH_MAX; i++) {
		if (type->kind != RFS_C_TYPEDEF && type->kind != RFS_C_CONST && type->kind != RFS_C_QUALIFIED)
			return type;
		type = type->to;
	}
	return &nothing;
}

bool rfs_c_is_const(const struct rfs_c_type *type)
{
	for (int i = 0; i < DEPTH_MAX; i++) {
		if (type->kind == RFS_C_CONST)
			return true;
		if (type->kind != RFS_C_TYPEDEF && type->kind != RFS_C_QUALIFIED)
			return false;
		type = type->to;
	}
	return false;
}
