/* dwarf_variable.c - queries about data: the variable at an address, and whether an access may be atomic. */
#include "disasm/dwarf/dwarf-priv.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The deepest nesting of members. More is damage. */
#define DEPTH_MAX 64
/* The most objects searched for one query. Without it, nested unions of damaged types could take exponential time. */
#define STEPS_MAX 65536
/* The longest expression whose last member is looked at. */
#define MEMBER_MAX 512

/* A search for the object at an offset in a type. In a union, it collects the results of all alternatives. */
struct reach {
	const struct rfs_dwarf *dwarf;
	char *name; /* the search appends ".member" and "[index]"; NULL: no name is needed */
	size_t n, length;
	unsigned steps;
	uint64_t size; /* size of the access in question */
	/* kinds of objects that were found; misses: the access covers only a part of an atomic object */
	bool plain, atomic, unknown, misses;
};

static __attribute__((format(printf, 2, 3))) void dwarf_variable_append(struct reach *reach, const char *format, ...)
{
	va_list args;
	int n;

	if (!reach->name || reach->length >= reach->n)
		return;
	va_start(args, format);
	n = vsnprintf(reach->name + reach->length, reach->n - reach->length, format, args);
	va_end(args);
	reach->length += n > 0 ? (size_t)n : 0;
}

/* Whether an access of n bytes covers an atomic object of this size. Compilers pad odd sizes to a power of two. */
static bool dwarf_variable_is_whole(uint64_t object, uint64_t n)
{
	return object == n || (object < n && n <= 16 && n < 2 * object && !(n & (n - 1)));
}

/* The member at offset; the one that begins last if several contain the offset (a derived class may use its base's
 * padding). */
static const struct rfs_dwarf_member *member_at(const struct rfs_dwarf *dwarf, const struct rfs_dwarf_type *type,
						uint64_t offset)
{
	const struct rfs_dwarf_member *members = dwarf->table[RFS_DWARF_MEMBERS], *found = NULL;

	for (uint32_t i = type->first; i < type->first + type->n; i++) {
		if (offset >= members[i].offset && offset - members[i].offset < members[i].size &&
		    (!found || members[i].offset > found->offset))
			found = &members[i];
	}
	return found;
}

static void reach_object(struct reach *reach, uint32_t index, uint64_t offset, int depth);

/* Searches all alternatives of a union. The first one gives the name. */
static void reach_union(struct reach *reach, const struct rfs_dwarf_type *type, uint64_t offset, int depth)
{
	const struct rfs_dwarf_member *members = reach->dwarf->table[RFS_DWARF_MEMBERS];
	const char *strings = reach->dwarf->table[RFS_DWARF_STRINGS];
	char *name = reach->name;
	bool none = true;

	for (uint32_t i = type->first; i < type->first + type->n; i++) {
		if (offset < members[i].offset || offset - members[i].offset >= members[i].size)
			continue;
		if (members[i].name)
			dwarf_variable_append(reach, ".%s", strings + members[i].name);
		reach_object(reach, members[i].type, offset - members[i].offset, depth + 1);
		reach->name = NULL;
		none = false;
	}
	reach->name = name;
	reach->plain |= none;
}

static void reach_object(struct reach *reach, uint32_t index, uint64_t offset, int depth)
{
	const struct rfs_dwarf_type *types = reach->dwarf->table[RFS_DWARF_TYPES], *type, *element;
	const char *strings = reach->dwarf->table[RFS_DWARF_STRINGS];
	const struct rfs_dwarf_member *member;

	for (; depth < DEPTH_MAX && index != RFS_DWARF_NONE && reach->steps++ < STEPS_MAX; depth++) {
		type = &types[index];
		if (type->atomic) {
			if (!offset && dwarf_variable_is_whole(type->size, reach->size))
				reach->atomic = true;
			else
				reach->misses = true;
			return;
		}
		switch (type->kind) {
		case RFS_DWARF_ARRAY:
			element = type->element == RFS_DWARF_NONE ? NULL : &types[type->element];
			if (!element || !element->size) {
				reach->unknown = true;
				return;
			}
			dwarf_variable_append(reach, "[%" PRIu64 "]", offset / element->size);
			offset %= element->size;
			index = type->element;
			break;
		case RFS_DWARF_STRUCT:
			member = member_at(reach->dwarf, type, offset);
			if (!member) { /* padding between members is plain memory */
				reach->plain = true;
				return;
			}
			if (member->name)
				dwarf_variable_append(reach, ".%s", strings + member->name);
			offset -= member->offset;
			index = member->type;
			break;
		case RFS_DWARF_UNION:
			reach_union(reach, type, offset, depth);
			return;
		default:
			reach->plain = true;
			return;
		}
	}
	reach->unknown = true;
}

static const struct rfs_dwarf_unit *unit_row(const struct rfs_dwarf *dwarf, uint32_t unit)
{
	return (const struct rfs_dwarf_unit *)dwarf->table[RFS_DWARF_UNITS] + unit;
}

/* A variable of any kind: what it is called, and where in it the query is. */
struct object {
	uint32_t name, type, unit;
	uint64_t offset;
};

static void dwarf_variable_describe(const struct rfs_dwarf *dwarf, const struct object *object, char *name, size_t n,
				    enum rfs_atomicity *atomicity)
{
	struct reach reach = {.dwarf = dwarf, .name = name, .n = n};

	dwarf_variable_append(&reach, "%s", (const char *)dwarf->table[RFS_DWARF_STRINGS] + object->name);
	reach_object(&reach, object->type, object->offset, 0);
	/* Any part of an atomic object counts as atomic here, because the size of the access is unknown. */
	reach.atomic |= reach.misses;
	if (reach.atomic && !reach.plain && !reach.unknown)
		*atomicity = RFS_ATOMICITY_ATOMIC;
	else if (reach.plain && !reach.atomic && !reach.unknown && unit_row(dwarf, object->unit)->tells_atomics)
		*atomicity = RFS_ATOMICITY_PLAIN;
	else
		*atomicity = RFS_ATOMICITY_UNKNOWN;
}

bool rfs_dwarf_variable(const struct rfs_dwarf *dwarf, rfs_addr vaddr, char *name, size_t n,
			enum rfs_atomicity *atomicity)
{
	const struct rfs_dwarf_variable *variable = rfs_dwarf_variable_at(dwarf, vaddr);
	struct object object;

	*atomicity = RFS_ATOMICITY_UNKNOWN;
	if (!variable)
		return false;
	object = (struct object){variable->name, variable->type, variable->unit, vaddr - variable->start};
	dwarf_variable_describe(dwarf, &object, name, n, atomicity);
	return true;
}

/* The first row with at least this key, in a table that is sorted by it. member: the offset of the key in a row. */
static size_t first_row(const struct rfs_dwarf *dwarf, enum rfs_dwarf_table table, size_t member, uint32_t key)
{
	const char *rows = dwarf->table[table];
	size_t low = 0, high = dwarf->n[table], row_size = rfs_dwarf_row_size(table);

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint32_t found;

		memcpy(&found, rows + middle * row_size + member, sizeof(found));
		if (found < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The variable on the stack; NULL if there is none, or several. */
static const struct rfs_dwarf_local *local_at(const struct rfs_dwarf *dwarf, rfs_addr vaddr, int64_t offset)
{
	const struct rfs_dwarf_frame *frames = dwarf->table[RFS_DWARF_FRAMES];
	const struct rfs_dwarf_local *locals = dwarf->table[RFS_DWARF_LOCALS], *found = NULL;
	const struct rfs_dwarf_span *span = rfs_dwarf_span_at(dwarf, vaddr);

	for (uint32_t frame = span ? span->frame : RFS_DWARF_NONE; frame != RFS_DWARF_NONE;
	     frame = frames[frame].parent) {
		size_t i = first_row(dwarf, RFS_DWARF_LOCALS, offsetof(struct rfs_dwarf_local, frame), frame);

		for (; i < dwarf->n[RFS_DWARF_LOCALS] && locals[i].frame == frame; i++) {
			if (offset < locals[i].start || (uint64_t)offset - (uint64_t)locals[i].start >= locals[i].size)
				continue;
			/* the variables of two blocks share a place, and which block it is was not kept */
			if (found)
				return NULL;
			found = &locals[i];
		}
	}
	return found;
}

bool rfs_dwarf_local(const struct rfs_dwarf *dwarf, rfs_addr vaddr, int64_t offset, char *name, size_t n,
		     enum rfs_atomicity *atomicity)
{
	const struct rfs_dwarf_local *found = local_at(dwarf, vaddr, offset);
	struct object object;

	*atomicity = RFS_ATOMICITY_UNKNOWN;
	if (!found)
		return false;
	object = (struct object){found->name, found->type, found->unit, (uint64_t)offset - (uint64_t)found->start};
	dwarf_variable_describe(dwarf, &object, name, n, atomicity);
	return true;
}

/* Whether name is the whole qualified name or its last components. */
static bool is_name_of(const char *qualified, const char *name)
{
	const size_t length = strlen(qualified), n = strlen(name);

	if (n > length || strcmp(qualified + length - n, name) != 0)
		return false;
	return n == length || (length - n >= 2 && !strncmp(qualified + length - n - 2, "::", 2));
}

bool rfs_dwarf_in_type(const struct rfs_dwarf *dwarf, const char *type, uint64_t size, uint64_t offset, char *name,
		       size_t n, uint64_t *count)
{
	const struct rfs_dwarf_named *named = dwarf->table[RFS_DWARF_NAMED];
	const struct rfs_dwarf_type *types = dwarf->table[RFS_DWARF_TYPES];
	const char *strings = dwarf->table[RFS_DWARF_STRINGS];
	bool found = false;

	if (offset >= size)
		return false;
	for (size_t i = 0; i < dwarf->n[RFS_DWARF_NAMED]; i++) {
		const uint64_t element = types[named[i].type].size;
		char other[MEMBER_MAX] = "";
		struct reach reach = {.dwarf = dwarf, .name = other, .n = sizeof(other)};

		if (!element || size % element || !is_name_of(strings + named[i].name, type))
			continue;
		if (size > element)
			dwarf_variable_append(&reach, "[%" PRIu64 "]", offset / element);
		reach_object(&reach, named[i].type, offset % element, 0);
		if (found && (*count != size / element || strncmp(name, other, n - 1) != 0))
			return false;
		found = true;
		*count = size / element;
		snprintf(name, n, "%s", other);
	}
	return found;
}

bool rfs_dwarf_same_local(const struct rfs_dwarf *dwarf, rfs_addr a, rfs_addr b, int64_t offset)
{
	const struct rfs_dwarf_frame *frames = dwarf->table[RFS_DWARF_FRAMES];
	const struct rfs_dwarf_local *local = local_at(dwarf, a, offset);

	return local && local == local_at(dwarf, b, offset) && !local->in_block &&
	       frames[local->frame].parent == RFS_DWARF_NONE;
}

/* A search for atomic objects in the types of a unit. */
struct hunt {
	const struct rfs_dwarf *dwarf;
	uint64_t offset,
		size; /* of the access, relative to an object of the type, or to an element of an array of it */
	bool single;  /* the pointer points to a single object, if this is no larger than the access */
	/* called with the name of the innermost member that is atomic, "" if there is none */
	bool (*named)(void *arg, const char *name);
	void *arg;
};

/* Removes all but the last member from an expression such as ".slots[2].full". */
static const char *last_member(char *name)
{
	char *dot = strrchr(name, '.');

	if (!dot)
		return "";
	dot[strcspn(dot, "[")] = '\0';
	return dot + 1;
}

static bool hits_atomic(const struct hunt *hunt, uint32_t index)
{
	const struct rfs_dwarf_type *type = (const struct rfs_dwarf_type *)hunt->dwarf->table[RFS_DWARF_TYPES] + index;
	char name[MEMBER_MAX] = "";
	struct reach reach = {.dwarf = hunt->dwarf, .size = hunt->size, .name = name, .n = sizeof(name)};
	uint64_t offset = hunt->offset;

	if (hunt->single && type->size == hunt->size && offset != 0)
		return false;
	if (type->size && type->size <= INT64_MAX) {
		int64_t period = (int64_t)type->size, rest = (int64_t)offset % period;

		offset = (uint64_t)(rest < 0 ? rest + period : rest);
	}
	reach_object(&reach, index, offset, 0);
	return reach.atomic && hunt->named(hunt->arg, last_member(name));
}

/* Whether one of the unit's types in RFS_DWARF_ATOMICS has an atomic object of this size at this offset. */
static bool unit_hits_atomic(const struct hunt *hunt, uint32_t unit)
{
	const struct rfs_dwarf *dwarf = hunt->dwarf;
	const struct rfs_dwarf_atomic *atomics = dwarf->table[RFS_DWARF_ATOMICS];
	size_t i = first_row(dwarf, RFS_DWARF_ATOMICS, offsetof(struct rfs_dwarf_atomic, unit), unit);

	for (; i < dwarf->n[RFS_DWARF_ATOMICS] && atomics[i].unit == unit; i++) {
		if (hits_atomic(hunt, atomics[i].type))
			return true;
	}
	return false;
}

enum rfs_dwarf_tells rfs_dwarf_tells_atomics(const struct rfs_dwarf *dwarf, rfs_addr vaddr)
{
	const struct rfs_dwarf_span *span = rfs_dwarf_span_at(dwarf, vaddr);
	const struct rfs_dwarf_unit *unit;

	if (!span)
		return RFS_DWARF_TELLS_NOT;
	unit = unit_row(dwarf, ((const struct rfs_dwarf_frame *)dwarf->table[RFS_DWARF_FRAMES])[span->frame].unit);
	return unit->has_types ? unit->tells_atomics : RFS_DWARF_TELLS_NOT;
}

bool rfs_dwarf_atomic_member(const struct rfs_dwarf *dwarf, rfs_addr vaddr, uint64_t offset, uint64_t size, bool single,
			     bool (*named)(void *arg, const char *name), void *arg)
{
	const struct hunt hunt = {
		.dwarf = dwarf, .offset = offset, .size = size, .single = single, .named = named, .arg = arg};
	const struct rfs_dwarf_span *span = rfs_dwarf_span_at(dwarf, vaddr);
	uint32_t unit;

	if (!span)
		return false;
	unit = ((const struct rfs_dwarf_frame *)dwarf->table[RFS_DWARF_FRAMES])[span->frame].unit;
	return unit_hits_atomic(&hunt, unit) || unit_hits_atomic(&hunt, RFS_DWARF_SHARED_UNIT);
}
