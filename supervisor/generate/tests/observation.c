/* observation.c - lists what is observed in a test, and writes the lines that the driver reads. */
#include "supervisor/generate/tests/observation.h"

#include <stdlib.h>

#include "disasm/dwarf/prototypes.h"
#include "supervisor/base/alloc.h"
#include "supervisor/generate/driver/script.h"
#include "supervisor/generate/library/abi.h"
#include "supervisor/generate/library/library.h"

#define WORD 8

struct list {
	struct rfs_observation *rows;
	size_t n;
};

static bool is_string(const struct rfs_c_type *plain)
{
	const struct rfs_c_type *to = plain->kind == RFS_C_POINTER ? rfs_c_plain(plain->to) : NULL;

	/* bytes need not be text, and then no NUL ends them */
	return to && to->kind == RFS_C_INTEGER && to->is_character && to->is_signed;
}

/* How a value of the type is compared. False: it is not. */
static bool observation_kind_of(const struct rfs_c_type *plain, enum rfs_observed_kind *out)
{
	switch (plain->kind) {
	case RFS_C_BOOL:
	case RFS_C_INTEGER:
	case RFS_C_ENUM:
		*out = RFS_OBSERVED_INTEGER;
		return plain->size > 0 && plain->size <= WORD;
	case RFS_C_FLOAT:
		*out = RFS_OBSERVED_REAL;
		return plain->size == sizeof(float) || plain->size == sizeof(double);
	case RFS_C_POINTER:
		*out = is_string(plain) ? RFS_OBSERVED_TEXT : RFS_OBSERVED_POINTER;
		return rfs_c_plain(plain->to)->kind != RFS_C_FUNCTION;
	default:
		return false;
	}
}

static void observation_add(struct list *list, struct rfs_observation row)
{
	if (list->n == RFS_DRIVER_RESULTS)
		return;
	list->rows = xreallocarray(list->rows, list->n + 1, sizeof(*list->rows));
	list->rows[list->n++] = row;
}

/* An argument that points to memory of the test, or to a variable of it. */
static void observation_add_argument(struct list *list, struct rfs_observation row, const struct rfs_value *value)
{
	const struct rfs_c_type *plain = rfs_c_plain(value->type), *to;

	if (plain->kind != RFS_C_POINTER || rfs_c_is_const(plain->to) ||
	    (value->kind != RFS_VALUE_MEMORY && value->kind != RFS_VALUE_ADDRESS))
		return;
	to = rfs_c_plain(plain->to);
	row.type = to;
	if (is_string(plain))
		row.kind = RFS_OBSERVED_BUFFER;
	else if ((to->kind == RFS_C_INTEGER && to->is_character) || !observation_kind_of(to, &row.kind))
		return;
	observation_add(list, row);
}

static void observation_add_member(struct list *list, struct rfs_observation row, const struct rfs_c_type *type,
				   size_t offset)
{
	const struct rfs_c_type *plain = rfs_c_plain(type),
				*to = plain->kind == RFS_C_ARRAY ? rfs_c_plain(plain->to) : NULL;

	/* which member of a union has a value is not known */
	for (size_t i = 0; plain->kind == RFS_C_STRUCT && i < plain->n_members; i++)
		if (!plain->members[i].bits)
			observation_add_member(list, row, plain->members[i].type,
					       offset + (size_t)plain->members[i].offset / 8);
	for (size_t i = 0; to && to->size && i < plain->size / to->size; i++)
		observation_add_member(list, row, to, offset + i * to->size);
	row.type = plain;
	row.offset = offset;
	if (observation_kind_of(plain, &row.kind))
		observation_add(list, row);
}

/* What the call returns: a value, or the members of a structure. */
static void add_result(struct list *list, struct rfs_observation row, const struct rfs_c_type *type)
{
	const struct rfs_c_type *plain = rfs_c_plain(type);
	char class[RFS_ABI_CLASS];

	row.is_member = plain->kind == RFS_C_STRUCT;
	if (row.is_member)
		rfs_abi_classify(plain, class);
	/* a large structure is returned in memory, which the driver does not read */
	if (!row.is_member || class[0] != 'm')
		observation_add_member(list, row, plain, 0);
}

size_t rfs_observations(const struct rfs_sequence *test, const struct rfs_library *library,
			struct rfs_observation **out)
{
	struct list list = {0};

	for (enum rfs_section section = RFS_SUFFIX_1; section < RFS_N_SECTIONS; section++)
		for (size_t i = 0; i < test->n[section]; i++) {
			const struct rfs_sequence_call *call = &test->calls[section][i];
			struct rfs_observation row = {.section = section, .call = i, .parameter = -1};

			if (call->function == RFS_CALL_MEMORY)
				continue;
			add_result(&list, row, library->functions[call->function].type->to);
			for (size_t k = 0; k < call->n_values; k++) {
				row.parameter = (int)k;
				observation_add_argument(&list, row, &call->values[k]);
			}
		}
	*out = list.rows;
	return list.n;
}

size_t rfs_observations_before_state(const struct rfs_sequence *test, const struct rfs_library *library)
{
	struct rfs_observation *list;
	size_t n = rfs_observations(test, library, &list), before = 0;

	while (before < n && list[before].section != RFS_STATE)
		before++;
	free(list);
	return before;
}

bool rfs_observation_tries(const struct rfs_sequence *test, const struct rfs_library *library)
{
	for (enum rfs_section section = RFS_SUFFIX_1; section < RFS_N_SECTIONS; section++)
		for (size_t i = 0; i < test->n[section]; i++) {
			const size_t function = test->calls[section][i].function;

			if (function != RFS_CALL_MEMORY && rfs_library_tries(&library->functions[function]))
				return true;
		}
	return false;
}

static bool is_negative(const struct rfs_c_type *enumeration)
{
	for (size_t i = 0; i < enumeration->n_values; i++)
		if (enumeration->values[i].value < 0)
			return true;
	return false;
}

static void write_kind(const struct rfs_observation *observation, FILE *out)
{
	const struct rfs_c_type *type = observation->type;
	bool is_signed = type->kind == RFS_C_ENUM ? is_negative(type) : type->is_signed;

	switch (observation->kind) {
	case RFS_OBSERVED_INTEGER:
		fprintf(out, "%c%u\n", is_signed ? 'i' : 'u', (unsigned)type->size);
		break;
	case RFS_OBSERVED_REAL:
		fprintf(out, "f%u\n", (unsigned)type->size);
		break;
	case RFS_OBSERVED_TEXT:
		fprintf(out, "s\n");
		break;
	case RFS_OBSERVED_POINTER:
		fprintf(out, "p\n");
		break;
	case RFS_OBSERVED_BUFFER:
		fprintf(out, "b\n");
		break;
	}
}

void rfs_observations_write(const struct rfs_sequence *test, const struct rfs_library *library, FILE *out)
{
	struct rfs_observation *list;
	size_t n = rfs_observations(test, library, &list), n_objects = 0;

	rfs_sequence_write(test, library, out);
	while (n_objects < test->n_variables && test->variables[n_objects].section == RFS_PREFIX)
		n_objects++;
	fprintf(out, "? %zu\n", n_objects);
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "? %d %zu ", list[i].section, list[i].call);
		if (list[i].parameter < 0)
			fprintf(out, "r%zu ", list[i].offset);
		else
			fprintf(out, "%d ", list[i].parameter);
		write_kind(&list[i], out);
	}
	free(list);
}

char *rfs_observation_name(const struct rfs_observation *observation, const struct rfs_sequence *test,
			   const struct rfs_library *library)
{
	const char *function = library->functions[test->calls[observation->section][observation->call].function].name;

	if (observation->is_member)
		return xasprintf("%s() byte %zu", function, observation->offset);
	return observation->parameter < 0 ? xasprintf("%s()", function)
					  : xasprintf("%s() argument %d", function, observation->parameter);
}
