/*
 * record_value.c - the bytes of a structure and its C text are made by the same walk over the members. So they agree.
 * Number N gives the members the values N, N + 1, N + 2 ..., below 4. Of a union, only the first member has a value.
 */
#include "supervisor/generate/tests/record_value.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "disasm/dwarf/prototypes.h"

#define BELOW 4

struct walk {
	unsigned char *bytes; /* NULL: text is written */
	size_t n;
	FILE *out;
	uint64_t next;
	bool is_zero;
};

static bool record_value_is_record(const struct rfs_c_type *plain)
{
	return plain->kind == RFS_C_STRUCT || plain->kind == RFS_C_UNION;
}

static void record_value_put_bytes(const struct walk *w, uint64_t offset, const void *value, size_t size)
{
	if (w->bytes && offset + size <= w->n)
		memcpy(w->bytes + offset, value, size);
}

static void put_number(struct walk *w, const struct rfs_c_type *plain, uint64_t offset)
{
	uint64_t number = w->is_zero ? 0 : w->next++ % BELOW;
	double real = (double)number / 2;
	float single = (float)real;

	switch (plain->kind) {
	case RFS_C_FLOAT:
		if (plain->size == sizeof(single))
			record_value_put_bytes(w, offset, &single, sizeof(single));
		else
			record_value_put_bytes(w, offset, &real, sizeof(real));
		if (w->out)
			fprintf(w->out, "%.1f", real);
		return;
	case RFS_C_BOOL:
		number %= 2;
		break;
	case RFS_C_INTEGER:
		break;
	default: /* a pointer or an enumeration */
		number = 0;
	}
	record_value_put_bytes(w, offset, &number, plain->size <= sizeof(number) ? plain->size : sizeof(number));
	if (!w->out)
		return;
	if (plain->kind == RFS_C_POINTER)
		fprintf(w->out, "NULL");
	else
		fprintf(w->out, "%" PRIu64, number);
}

static void put_value(struct walk *w, const struct rfs_c_type *type, uint64_t offset);

static void put_members(struct walk *w, const struct rfs_c_type *record, uint64_t offset)
{
	size_t n = record->kind == RFS_C_UNION && record->n_members ? 1 : record->n_members;

	for (size_t i = 0; i < n; i++) {
		const struct rfs_c_member *member = &record->members[i];

		if (w->out && i)
			fprintf(w->out, ", ");
		if (!member->bits)
			put_value(w, member->type, offset + member->offset / 8);
		else if (w->out)
			fprintf(w->out, "0");
	}
}

static void put_elements(struct walk *w, const struct rfs_c_type *array, uint64_t offset)
{
	const struct rfs_c_type *element = rfs_c_plain(array->to);

	for (uint64_t at = 0; element->size && at < array->size; at += element->size) {
		if (w->out && at)
			fprintf(w->out, ", ");
		put_value(w, element, offset + at);
	}
}

static void put_value(struct walk *w, const struct rfs_c_type *type, uint64_t offset)
{
	const struct rfs_c_type *plain = rfs_c_plain(type);

	if (!record_value_is_record(plain) && plain->kind != RFS_C_ARRAY) {
		put_number(w, plain, offset);
		return;
	}
	if (w->out)
		fprintf(w->out, "{");
	if (plain->kind == RFS_C_ARRAY)
		put_elements(w, plain, offset);
	else
		put_members(w, plain, offset);
	if (w->out)
		fprintf(w->out, "}");
}

static bool has_only_numbers(const struct rfs_c_type *type)
{
	const struct rfs_c_type *plain = rfs_c_plain(type);

	switch (plain->kind) {
	case RFS_C_BOOL:
	case RFS_C_INTEGER:
	case RFS_C_ENUM:
	case RFS_C_FLOAT:
		return plain->size <= sizeof(uint64_t);
	case RFS_C_ARRAY:
		return has_only_numbers(plain->to);
	case RFS_C_STRUCT:
		for (size_t i = 0; i < plain->n_members; i++)
			if (plain->members[i].bits || !has_only_numbers(plain->members[i].type))
				return false;
		return plain->n_members > 0;
	default:
		return false;
	}
}

/* The type without const and volatile. */
static const struct rfs_c_type *record_value_unqualified(const struct rfs_c_type *type)
{
	while (type->kind == RFS_C_CONST || type->kind == RFS_C_QUALIFIED)
		type = type->to;
	return type;
}

bool rfs_record_value_is_plain(const struct rfs_c_type *type)
{
	const struct rfs_c_type *plain = rfs_c_plain(type);

	/* members of classes may be private */
	return plain->kind == RFS_C_STRUCT && !plain->is_cxx && record_value_unqualified(type)->name &&
	       has_only_numbers(plain);
}

void rfs_record_value_bytes(const struct rfs_c_type *type, int64_t number, unsigned char *bytes, size_t n)
{
	struct walk w = {.bytes = bytes, .n = n, .next = (uint64_t)number, .is_zero = number == 0};

	memset(bytes, 0, n);
	put_value(&w, type, 0);
}

void rfs_record_value_write(const struct rfs_c_type *type, int64_t number, FILE *out)
{
	struct walk w = {.out = out, .next = (uint64_t)number, .is_zero = number == 0};
	const struct rfs_c_type *plain = rfs_c_plain(type);

	type = record_value_unqualified(type);
	fprintf(out, "(%s%s)",
		type->kind == RFS_C_TYPEDEF  ? ""
		: plain->kind == RFS_C_UNION ? "union "
					     : "struct ",
		type->name ? type->name : "");
	if (w.is_zero)
		fprintf(out, "{0}");
	else
		put_value(&w, plain, 0);
}
