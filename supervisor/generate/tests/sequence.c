/* sequence.c - tests in memory, and as text for the driver. */
#include "supervisor/generate/tests/sequence.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/dwarf/prototypes.h"
#include "supervisor/base/alloc.h"
#include "supervisor/generate/library/abi.h"
#include "supervisor/generate/library/library.h"
#include "supervisor/generate/tests/record_value.h"

int rfs_sequence_add_variable(struct rfs_sequence *sequence, const struct rfs_c_type *type, enum rfs_section section)
{
	sequence->variables =
		xreallocarray(sequence->variables, sequence->n_variables + 1, sizeof(*sequence->variables));
	sequence->variables[sequence->n_variables] = (struct rfs_variable){type, section};
	return (int)sequence->n_variables++;
}

void rfs_sequence_add_call(struct rfs_sequence *sequence, enum rfs_section section,
			   const struct rfs_sequence_call *call)
{
	struct rfs_sequence_call **calls = &sequence->calls[section];

	*calls = xreallocarray(*calls, sequence->n[section] + 1, sizeof(**calls));
	(*calls)[sequence->n[section]++] = *call;
}

void rfs_sequence_cut(struct rfs_sequence *sequence, const struct rfs_sequence *mark)
{
	for (size_t section = 0; section < RFS_N_SECTIONS; section++) {
		while (sequence->n[section] > mark->n[section])
			free(sequence->calls[section][--sequence->n[section]].values);
	}
	sequence->n_variables = mark->n_variables;
}

const struct rfs_value *rfs_sequence_value(const struct rfs_sequence *sequence, enum rfs_value_kind kind, size_t before)
{
	for (int section = 0; section < RFS_N_SECTIONS; section++)
		for (size_t i = 0; i < sequence->n[section]; i++)
			for (size_t k = 0; k < sequence->calls[section][i].n_values; k++)
				if (sequence->calls[section][i].values[k].kind == kind && before-- == 0)
					return &sequence->calls[section][i].values[k];
	return NULL;
}

void rfs_sequence_copy(const struct rfs_sequence *from, struct rfs_sequence *to)
{
	*to = (struct rfs_sequence){.n_variables = from->n_variables};
	to->variables = xreallocarray(NULL, from->n_variables + 1, sizeof(*to->variables));
	if (from->n_variables > 0)
		memcpy(to->variables, from->variables, from->n_variables * sizeof(*to->variables));
	for (size_t section = 0; section < RFS_N_SECTIONS; section++) {
		for (size_t i = 0; i < from->n[section]; i++) {
			struct rfs_sequence_call call = from->calls[section][i];
			struct rfs_value *values = xreallocarray(NULL, call.n_values + 1, sizeof(*values));

			if (call.n_values > 0)
				memcpy(values, call.values, call.n_values * sizeof(*values));
			call.values = values;
			rfs_sequence_add_call(to, (enum rfs_section)section, &call);
		}
	}
}

void rfs_sequence_release(struct rfs_sequence *sequence)
{
	const struct rfs_sequence nothing = {0};

	rfs_sequence_cut(sequence, &nothing);
	for (size_t section = 0; section < RFS_N_SECTIONS; section++)
		free(sequence->calls[section]);
	free(sequence->variables);
	*sequence = nothing;
}

/* A call of the second suffix: its own variables come after those of the first one. */
static struct rfs_sequence_call moved(const struct rfs_sequence_call *from, size_t n_prefix, size_t shift)
{
	struct rfs_sequence_call call = *from;

	if (call.variable >= 0 && (size_t)call.variable >= n_prefix)
		call.variable += (int)shift;
	call.values = xreallocarray(NULL, call.n_values + 1, sizeof(*call.values));
	memcpy(call.values, from->values, call.n_values * sizeof(*call.values));
	for (size_t i = 0; i < call.n_values; i++) {
		struct rfs_value *value = &call.values[i];

		if ((value->kind == RFS_VALUE_VARIABLE || value->kind == RFS_VALUE_ADDRESS) &&
		    value->integer >= (int64_t)n_prefix)
			value->integer += (int64_t)shift;
	}
	return call;
}

void rfs_sequence_join(const struct rfs_sequence *prefix, const struct rfs_sequence *first,
		       const struct rfs_sequence *second, struct rfs_sequence *out)
{
	size_t shift = first->n_variables - prefix->n_variables;

	rfs_sequence_copy(first, out);
	for (size_t i = prefix->n_variables; i < second->n_variables; i++)
		rfs_sequence_add_variable(out, second->variables[i].type, RFS_SUFFIX_2);
	for (size_t i = 0; i < second->n[RFS_SUFFIX_1]; i++) {
		struct rfs_sequence_call call = moved(&second->calls[RFS_SUFFIX_1][i], prefix->n_variables, shift);

		rfs_sequence_add_call(out, RFS_SUFFIX_2, &call);
	}
}

static void sequence_write_members(const struct rfs_c_type *plain, int64_t number, FILE *out)
{
	unsigned char *bytes = xcalloc(plain->size + 1, 1);

	rfs_record_value_bytes(plain, number, bytes, plain->size);
	for (size_t i = 0; i < plain->size; i++)
		fprintf(out, "%02x", bytes[i]);
	free(bytes);
}

static void write_record(const struct rfs_value *value, FILE *out)
{
	const struct rfs_c_type *plain = rfs_c_plain(value->type);
	char class[RFS_ABI_CLASS];

	rfs_abi_classify(plain, class);
	fprintf(out, " t%s:", class);
	sequence_write_members(plain, value->integer, out);
}

static void write_memory(const struct rfs_value *value, FILE *out)
{
	if (!value->members) {
		fprintf(out, " m%" PRId64, value->integer);
		return;
	}
	fprintf(out, " g");
	sequence_write_members(rfs_c_plain(rfs_c_plain(value->type)->to), value->members, out);
}

static void sequence_write_value(const struct rfs_value *value, FILE *out)
{
	switch (value->kind) {
	case RFS_VALUE_INTEGER:
		fprintf(out, " i%" PRId64, value->integer);
		break;
	case RFS_VALUE_REAL:
		fprintf(out, " %c%a", rfs_c_plain(value->type)->size == sizeof(float) ? 'f' : 'd', value->real);
		break;
	case RFS_VALUE_STRING:
	case RFS_VALUE_CXX_STRING:
		fprintf(out, value->kind == RFS_VALUE_STRING ? " s" : " c");
		for (const char *at = value->string; *at; at++)
			fprintf(out, "%02x", (unsigned char)*at);
		break;
	case RFS_VALUE_NULL:
		fprintf(out, " n");
		break;
	case RFS_VALUE_VARIABLE:
		fprintf(out, " v%" PRId64, value->integer);
		break;
	case RFS_VALUE_ADDRESS:
		fprintf(out, " a%" PRId64, value->integer);
		break;
	case RFS_VALUE_MEMORY:
		write_memory(value, out);
		break;
	case RFS_VALUE_CALLBACK_ZERO:
		fprintf(out, " z");
		break;
	case RFS_VALUE_CALLBACK_IDENTITY:
		fprintf(out, " y");
		break;
	case RFS_VALUE_RECORD:
		write_record(value, out);
		break;
	case RFS_VALUE_DESCRIPTOR:
		fprintf(out, " o");
		break;
	case RFS_VALUE_STREAM:
		fprintf(out, " w");
		break;
	}
}

/* The driver must know which results are not integers. */
static void sequence_write_result(const struct rfs_c_type *type, FILE *out)
{
	char class[RFS_ABI_CLASS];

	rfs_abi_classify(type, class);
	if (class[0] && strcmp(class, "i") != 0)
		fprintf(out, " r%s:%" PRIu64, class, rfs_c_plain(type)->size);
}

void rfs_sequence_write(const struct rfs_sequence *sequence, const struct rfs_library *library, FILE *out)
{
	for (int section = 0; section < RFS_N_SECTIONS; section++) {
		for (size_t i = 0; i < sequence->n[section]; i++) {
			const struct rfs_sequence_call *call = &sequence->calls[section][i];

			fprintf(out, "%d ", section);
			if (call->variable < 0)
				fprintf(out, "-");
			else
				fprintf(out, "%d", call->variable);
			fprintf(out, " %s",
				call->function == RFS_CALL_MEMORY ? "*memory"
								  : library->functions[call->function].name);
			if (call->function != RFS_CALL_MEMORY)
				sequence_write_result(library->functions[call->function].type->to, out);
			for (size_t k = 0; k < call->n_values; k++)
				sequence_write_value(&call->values[k], out);
			fprintf(out, "\n");
		}
	}
}
