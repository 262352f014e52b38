/* c_results.c - variables for results before the calls, and a comparison with each order after them. */
#include "supervisor/generate/program/c_results.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/dwarf/prototypes.h"
#include "supervisor/base/alloc.h"
#include "supervisor/generate/driver/script.h"
#include "supervisor/generate/library/c_text.h"
#include "supervisor/generate/search/wrong_result.h"
#include "supervisor/generate/tests/sequence.h"

static bool has_kind(const struct rfs_wrong_result *result, enum rfs_observed_kind kind)
{
	for (size_t i = 0; i < result->n; i++)
		if (result->observations[i].kind == kind)
			return true;
	return false;
}

/* ---- memory and strings of the test ---- */

size_t rfs_c_results_memory(const struct rfs_sequence *test, const struct rfs_value *value)
{
	size_t i = 0;

	while (rfs_sequence_value(test, RFS_VALUE_MEMORY, i) != value)
		i++;
	return i;
}

/* The first value with this string. */
static size_t text_number(const struct rfs_sequence *test, const char *text)
{
	size_t i = 0;

	while (strcmp(rfs_sequence_value(test, RFS_VALUE_STRING, i)->string, text) != 0)
		i++;
	return i;
}

size_t rfs_c_results_text(const struct rfs_wrong_result *result, const struct rfs_sequence *test, const char *text)
{
	return has_kind(result, RFS_OBSERVED_POINTER) ? text_number(test, text) : SIZE_MAX;
}

static void write_values(const struct rfs_wrong_result *result, const struct rfs_sequence *test, FILE *out)
{
	const struct rfs_value *value;

	for (size_t i = 0; rfs_sequence_value(test, RFS_VALUE_MEMORY, i); i++)
		fprintf(out, "static void *m%zu;\n", i);
	for (size_t i = 0;
	     has_kind(result, RFS_OBSERVED_POINTER) && (value = rfs_sequence_value(test, RFS_VALUE_STRING, i)); i++)
		if (text_number(test, value->string) == i) {
			fprintf(out, "static char text%zu[] = ", i);
			rfs_c_text_write(value->string, out);
			fprintf(out, ";\n");
		}
}

/* ---- what is kept ---- */

/* A value of an outcome as a string literal. One in quotes has escape sequences already. */
static void write_outcome_value(const char *value, FILE *out)
{
	size_t n = strlen(value);

	if (value[0] == '"' && n >= 2)
		fprintf(out, "\"\\\"%.*s\\\"\"", (int)n - 2, value + 1);
	else
		fprintf(out, "\"%s\"", value);
}

void rfs_c_results_keep(const struct rfs_wrong_result *result, const struct rfs_sequence *test, FILE *out)
{
	write_values(result, test, out);
	fprintf(out,
		"\n/* What the calls give back in their sequential orders, and in this run. */\n"
		"static const char *const possible[][%zu] = {\n",
		result->n);
	for (size_t i = 0; i < result->n_possible; i++) {
		fprintf(out, "\t{");
		for (size_t k = 0; k < result->n; k++) {
			fprintf(out, k ? ", " : "");
			write_outcome_value(result->possible[i].values[k], out);
		}
		fprintf(out, "},\n");
	}
	fprintf(out, "};\nstatic char results[%zu][80];\n", result->n);
	if (has_kind(result, RFS_OBSERVED_INTEGER))
		fprintf(out, "\nstatic void put_number(int i, long long value)\n{\n"
			     "\tsnprintf(results[i], sizeof(results[i]), \"%%lld\", value);\n}\n");
	if (has_kind(result, RFS_OBSERVED_REAL))
		fprintf(out, "\nstatic void put_real(int i, double value)\n{\n"
			     "\tsnprintf(results[i], sizeof(results[i]), \"%%.17g\", value);\n}\n");
	if (has_kind(result, RFS_OBSERVED_TEXT) || has_kind(result, RFS_OBSERVED_BUFFER))
		fprintf(out,
			"\nstatic void put_text(int i, const char *text)\n{\n"
			"\tsnprintf(results[i], sizeof(results[i]), text ? \"\\\"%%.%ds\\\"\" : \"NULL\", text);\n}\n",
			RFS_DRIVER_TEXT);
	if (has_kind(result, RFS_OBSERVED_POINTER))
		fprintf(out,
			"\nstatic const void *pointers[%zu];\n\n"
			"static void put_pointer(int i, const void *pointer)\n{\n\tpointers[i] = pointer;\n}\n",
			result->n);
}

static size_t c_results_find(const struct rfs_wrong_result *result, int section, size_t call, int parameter)
{
	size_t i = 0;

	while (i < result->n &&
	       !((int)result->observations[i].section == section && result->observations[i].call == call &&
		 result->observations[i].parameter == parameter))
		i++;
	return i;
}

static const char *c_results_function_of(enum rfs_observed_kind kind)
{
	return kind == RFS_OBSERVED_INTEGER   ? "put_number"
	       : kind == RFS_OBSERVED_REAL    ? "put_real"
	       : kind == RFS_OBSERVED_POINTER ? "put_pointer"
					      : "put_text";
}

const char *rfs_c_results_before(const struct rfs_wrong_result *result, int section, size_t call, FILE *out)
{
	size_t i = c_results_find(result, section, call, -1);

	if (i == result->n)
		return "";
	if (result->observations[i].is_member) {
		fprintf(out, "__auto_type m%d_%zu = ", section, call);
		return "";
	}
	fprintf(out, "%s(%zu, ", c_results_function_of(result->observations[i].kind), i);
	return ")";
}

/* What reads the value at an address that follows. */
static void c_results_write_cast(const struct rfs_observation *observation, FILE *out)
{
	const struct rfs_c_type *type = observation->type;

	if (observation->kind == RFS_OBSERVED_INTEGER)
		fprintf(out, "*(%sint%u_t *)", type->is_signed || type->kind == RFS_C_ENUM ? "" : "u",
			8 * (unsigned)type->size);
	else if (observation->kind == RFS_OBSERVED_REAL)
		fprintf(out, type->size == sizeof(float) ? "*(float *)" : "*(double *)");
	else if (observation->kind != RFS_OBSERVED_BUFFER)
		fprintf(out, "*(void **)");
}

/* The members of the structure that the call has returned. */
static void write_members(const struct rfs_wrong_result *result, int section, size_t call, FILE *out)
{
	for (size_t i = 0; i < result->n; i++) {
		const struct rfs_observation *row = &result->observations[i];

		if (!row->is_member || (int)row->section != section || row->call != call)
			continue;
		fprintf(out, "\t%s(%zu, ", c_results_function_of(row->kind), i);
		c_results_write_cast(row, out);
		fprintf(out, "((char *)&m%d_%zu + %zu));\n", section, call, row->offset);
	}
}

/* What the argument points to. */
static void write_target(const struct rfs_observation *observation, const struct rfs_sequence *test,
			 const struct rfs_value *value, FILE *out)
{
	if (value->kind == RFS_VALUE_ADDRESS) {
		fprintf(out, "v%" PRId64, value->integer);
		return;
	}
	c_results_write_cast(observation, out);
	fprintf(out, "m%zu", rfs_c_results_memory(test, value));
}

void rfs_c_results_after(const struct rfs_wrong_result *result, const struct rfs_sequence *test, int section,
			 size_t call, FILE *out)
{
	const struct rfs_sequence_call *made = &test->calls[section][call];

	write_members(result, section, call, out);
	for (size_t k = 0; k < made->n_values; k++) {
		size_t i = c_results_find(result, section, call, (int)k);

		if (i == result->n)
			continue;
		fprintf(out, "\t%s(%zu, ", c_results_function_of(result->observations[i].kind), i);
		write_target(&result->observations[i], test, &made->values[k], out);
		fprintf(out, ");\n");
	}
}

/* ---- the comparison ---- */

/* The names of objects are those that the driver uses (driver/results.h). */
static void write_names(const struct rfs_wrong_result *result, const struct rfs_sequence *test, FILE *out)
{
	const struct rfs_value *value;
	bool any = false;

	fprintf(out, "\nstatic void name_pointers(void)\n{\n"
		     "\tconst struct {\n\t\tconst void *pointer;\n\t\tconst char *name;\n\t} known[] = {\n");
	for (size_t i = 0; i < test->n_variables && test->variables[i].section == RFS_PREFIX; i++)
		fprintf(out, "\t\t{v%zu, \"v%zu\"},\n", i, i);
	for (size_t i = 0; rfs_sequence_value(test, RFS_VALUE_MEMORY, i); i++)
		fprintf(out, "\t\t{m%zu, \"m%zu\"},\n", i, i);
	for (size_t i = 0; (value = rfs_sequence_value(test, RFS_VALUE_STRING, i)); i++)
		if (text_number(test, value->string) == i) {
			fprintf(out, "\t\t{text%zu, \"\\\"", i);
			rfs_c_text_escape(value->string, RFS_DRIVER_TEXT, out);
			fprintf(out, "\\\"\"},\n");
		}
	fprintf(out, "\t};\n\tstatic const int objects[] = {");
	for (size_t i = 0; i < result->n; i++)
		if (result->observations[i].kind == RFS_OBSERVED_POINTER) {
			fprintf(out, any ? ", %zu" : "%zu", i);
			any = true;
		}
	fprintf(out, "};\n\tint n_new = 0;\n\n"
		     "\tfor (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++) {\n"
		     "\t\tconst void *pointer = pointers[objects[i]];\n"
		     "\t\tchar *name = results[objects[i]];\n"
		     "\t\tsize_t k = 0, first = 0;\n\n"
		     "\t\twhile (k < sizeof(known) / sizeof(*known) && known[k].pointer != pointer)\n"
		     "\t\t\tk++;\n"
		     "\t\twhile (pointers[objects[first]] != pointer)\n"
		     "\t\t\tfirst++;\n"
		     "\t\tif (!pointer)\n"
		     "\t\t\tstrcpy(name, \"NULL\");\n"
		     "\t\telse if (k < sizeof(known) / sizeof(*known))\n"
		     "\t\t\tstrcpy(name, known[k].name);\n"
		     "\t\telse if (first < i)\n"
		     "\t\t\tstrcpy(name, results[objects[first]]);\n"
		     "\t\telse\n"
		     "\t\t\tsnprintf(name, sizeof(results[0]), \"new %%d\", ++n_new);\n"
		     "\t}\n}\n");
}

void rfs_c_results_check(const struct rfs_wrong_result *result, const struct rfs_sequence *test, FILE *out)
{
	if (has_kind(result, RFS_OBSERVED_POINTER))
		write_names(result, test, out);
	fprintf(out, "\n/* Aborts if no sequential order gives these results. */\nstatic void check(void)\n{\n");
	if (has_kind(result, RFS_OBSERVED_POINTER))
		fprintf(out, "\tname_pointers();\n");
	fprintf(out,
		"\tfor (size_t i = 0; i < sizeof(possible) / sizeof(*possible); i++) {\n"
		"\t\tsize_t k = 0;\n\n"
		"\t\twhile (k < %zu && strcmp(possible[i][k], results[k]) == 0)\n"
		"\t\t\tk++;\n"
		"\t\tif (k == %zu)\n"
		"\t\t\treturn;\n"
		"\t}\n"
		"\tprintf(\"results that no sequential order gives:\");\n"
		"\tfor (size_t k = 0; k < %zu; k++)\n"
		"\t\tprintf(\" %%s\", results[k]);\n"
		"\tprintf(\"\\n\");\n"
		"\tfflush(stdout);\n"
		"\tabort();\n}\n",
		result->n, result->n, result->n);
}
