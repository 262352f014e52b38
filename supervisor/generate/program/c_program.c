/* c_program.c - declarations, the calls of the prefix, a function for each thread, and main. */
#include "supervisor/generate/program/c_program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "disasm/dwarf/prototypes.h"
#include "supervisor/generate/library/c_text.h"
#include "supervisor/generate/library/library.h"
#include "supervisor/generate/program/c_results.h"
#include "supervisor/generate/program/cxx_calls.h"
#include "supervisor/generate/tests/record_value.h"
#include "supervisor/generate/tests/sequence.h"

struct writing {
	const struct rfs_sequence *test;
	const struct rfs_library *library;
	const struct rfs_wrong_result *results; /* that are kept; NULL: none */
	FILE *out;
};

/* ---- types and variables ---- */

/* "GQueue", "struct evbuffer"; "void" if the type has no name. */
static void c_program_write_type(const struct writing *w, const struct rfs_c_type *object)
{
	const struct rfs_library_type *type = rfs_library_type_of(w->library, object);

	/* the name of a handle may be one of the hints, which the compiler does not know */
	if (object->kind == RFS_C_TYPEDEF)
		fprintf(w->out, "void");
	else if (type && !strstr(type->name, "without a name"))
		fprintf(w->out, "%s", type->name);
	else if (object->name)
		fprintf(w->out, "%s %s", object->kind == RFS_C_UNION ? "union" : "struct", object->name);
	else
		fprintf(w->out, "void");
}

static bool value_uses(const struct rfs_value *value, size_t variable)
{
	return (value->kind == RFS_VALUE_VARIABLE || value->kind == RFS_VALUE_ADDRESS) &&
	       value->integer == (int64_t)variable;
}

/* Whether a call has the variable as an argument. */
static bool c_program_is_used(const struct rfs_sequence *test, size_t variable)
{
	for (int section = 0; section < RFS_N_SECTIONS; section++)
		for (size_t i = 0; i < test->n[section]; i++)
			for (size_t k = 0; k < test->calls[section][i].n_values; k++)
				if (value_uses(&test->calls[section][i].values[k], variable))
					return true;
	return false;
}

/* Results may be objects of the prefix, so these have variables then. */
static bool is_declared(const struct writing *w, size_t variable)
{
	return c_program_is_used(w->test, variable) ||
	       (w->results && w->test->variables[variable].section == RFS_PREFIX);
}

/* ---- values ---- */

static void write_string(const struct writing *w, const char *text)
{
	size_t number = w->results ? rfs_c_results_text(w->results, w->test, text) : SIZE_MAX;

	if (number == SIZE_MAX)
		rfs_c_text_write(text, w->out);
	else
		fprintf(w->out, "text%zu", number);
}

static bool is_plain_char(const struct rfs_c_type *type)
{
	return type->kind == RFS_C_INTEGER && type->is_character && type->is_signed;
}

static void write_integer(const struct rfs_value *value, FILE *out)
{
	const struct rfs_c_type *plain = rfs_c_plain(value->type);

	for (size_t i = 0; plain->kind == RFS_C_ENUM && i < plain->n_values; i++)
		if (plain->values[i].value == value->integer) {
			fprintf(out, "%s", plain->values[i].name);
			return;
		}
	/* one of a variable number of arguments is long */
	fprintf(out, "%" PRId64 "%s", value->integer, plain->is_variadic ? "L" : "");
}

static void write_c_value(const struct writing *w, const struct rfs_value *value)
{
	const struct rfs_c_type *plain = rfs_c_plain(value->type);
	const struct rfs_c_type *to = plain->kind == RFS_C_POINTER ? rfs_c_plain(plain->to) : NULL;

	switch (value->kind) {
	case RFS_VALUE_INTEGER:
		write_integer(value, w->out);
		break;
	case RFS_VALUE_REAL:
		fprintf(w->out, "%.1f", value->real);
		break;
	case RFS_VALUE_STRING:
		if (to && !is_plain_char(to) && to->kind != RFS_C_VOID)
			fprintf(w->out, rfs_c_is_const(plain->to) ? "(const void *)" : "(void *)");
		write_string(w, value->string);
		break;
	case RFS_VALUE_NULL:
		fprintf(w->out, plain->kind == RFS_C_POINTER ? "NULL" : "0");
		break;
	case RFS_VALUE_VARIABLE:
		fprintf(w->out, "v%" PRId64, value->integer);
		break;
	case RFS_VALUE_ADDRESS:
		fprintf(w->out, "%s&v%" PRId64, w->test->variables[value->integer].type->name ? "" : "(void *)",
			value->integer);
		break;
	case RFS_VALUE_MEMORY:
		if (w->results)
			fprintf(w->out, "m%zu = ", rfs_c_results_memory(w->test, value));
		if (value->members) {
			fprintf(w->out, "memcpy(malloc(%" PRId64 "), &", value->integer);
			rfs_record_value_write(plain->to, value->members, w->out);
			fprintf(w->out, ", %" PRId64 ")", value->integer);
		} else {
			fprintf(w->out, "calloc(1, %" PRId64 ")", value->integer);
		}
		break;
	case RFS_VALUE_CALLBACK_ZERO:
		fprintf(w->out, "(void *)returns_zero");
		break;
	case RFS_VALUE_CALLBACK_IDENTITY:
		fprintf(w->out, "(void *)returns_first");
		break;
	case RFS_VALUE_DESCRIPTOR:
		rfs_c_text_descriptor(w->out);
		break;
	case RFS_VALUE_STREAM:
		rfs_c_text_stream(w->out);
		break;
	case RFS_VALUE_CXX_STRING:
		break; /* of C++ only */
	case RFS_VALUE_RECORD:
		rfs_record_value_write(value->type, value->integer, w->out);
		break;
	}
}

/* ---- calls ---- */

static void write_call(const struct writing *w, int section, size_t index)
{
	const struct rfs_sequence_call *call = &w->test->calls[section][index];
	const char *end = w->results ? rfs_c_results_before(w->results, section, index, w->out) : "";

	if (call->variable >= 0 && is_declared(w, (size_t)call->variable))
		fprintf(w->out, "v%d = ", call->variable);
	if (call->function == RFS_CALL_MEMORY) {
		if (w->library->is_cxx)
			fprintf(w->out, "(%s *)", w->test->variables[call->variable].type->name);
		fprintf(w->out, "calloc(1, %" PRId64 ");\n", call->values[0].integer);
		return;
	}
	if (w->library->is_cxx) {
		rfs_cxx_call_write(&w->library->functions[call->function], call, w->out);
		return;
	}
	fprintf(w->out, "%s(", w->library->functions[call->function].name);
	for (size_t k = 0; k < call->n_values; k++) {
		fprintf(w->out, k ? ", " : "");
		write_c_value(w, &call->values[k]);
	}
	fprintf(w->out, ")%s;\n", end);
}

static void c_program_write_calls(const struct writing *w, int section, const char *indent)
{
	for (size_t i = 0; i < w->test->n[section]; i++) {
		fprintf(w->out, "%s", indent);
		write_call(w, section, i);
		if (w->results)
			rfs_c_results_after(w->results, w->test, section, i, w->out);
	}
}

void rfs_c_program_calls(const struct rfs_sequence *test, const struct rfs_library *library, int section,
			 const char *indent, FILE *out)
{
	const struct writing w = {test, library, NULL, out};

	c_program_write_calls(&w, section, indent);
}

/* ---- the program ---- */

static void write_comment(const char *comment, FILE *out)
{
	fprintf(out, "/*\n");
	for (const char *line = comment; *line;) {
		size_t n = strcspn(line, "\n");

		fprintf(out, " *%s%.*s\n", n ? " " : "", (int)n, line);
		line += n + (line[n] == '\n');
	}
	fprintf(out, " */\n");
}

/* Whether memory of the test has the values of a structure. */
static bool copies_members(const struct rfs_sequence *test)
{
	const struct rfs_value *value;

	for (size_t i = 0; (value = rfs_sequence_value(test, RFS_VALUE_MEMORY, i)); i++)
		if (value->members)
			return true;
	return false;
}

static void write_includes(const struct rfs_c_program *program, const struct writing *w)
{
	FILE *out = w->out;

	for (size_t i = 0; i < program->n_headers; i++) {
		char *path = access(program->headers[i], R_OK) == 0 ? realpath(program->headers[i], NULL) : NULL;

		fprintf(out, path ? "#include \"%s\"\n" : "#include <%s>\n", path ? path : program->headers[i]);
		free(path);
	}
	if (rfs_sequence_value(w->test, RFS_VALUE_DESCRIPTOR, 0))
		fprintf(out, "#include <fcntl.h>\n");
	if (rfs_sequence_value(w->test, RFS_VALUE_STREAM, 0) && !program->results)
		fprintf(out, "#include <stdio.h>\n");
	fprintf(out, program->results ? "#include <pthread.h>\n#include <stdint.h>\n#include <stdio.h>\n"
					"#include <stdlib.h>\n#include <string.h>\n\n"
		     : w->library->is_cxx
			     ? "#include <pthread.h>\n#include <stdlib.h>\n#include <new>\n#include <string>\n\n"
		     : copies_members(w->test) ? "#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\n\n"
					       : "#include <pthread.h>\n#include <stdlib.h>\n\n");
	if (program->tolerant)
		fprintf(out, "#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"\n"
			     "#pragma GCC diagnostic ignored \"-Wnonnull\"\n"
			     "#pragma GCC diagnostic ignored \"-Wunused-result\"\n"
			     "#pragma GCC diagnostic ignored \"-Wunused-value\"\n\n");
}

/* The callbacks, and the variables. */
static void write_globals(const struct writing *w)
{
	if (w->library->is_cxx && (rfs_sequence_value(w->test, RFS_VALUE_CALLBACK_ZERO, 0) ||
				   rfs_sequence_value(w->test, RFS_VALUE_CALLBACK_IDENTITY, 0)))
		rfs_cxx_prologue_write(w->out);
	if (rfs_sequence_value(w->test, RFS_VALUE_CALLBACK_ZERO, 0))
		fprintf(w->out, "static void *returns_zero(void)\n{\n\treturn NULL;\n}\n\n");
	if (rfs_sequence_value(w->test, RFS_VALUE_CALLBACK_IDENTITY, 0))
		fprintf(w->out, "static void *returns_first(void *first)\n{\n\treturn first;\n}\n\n");
	for (size_t i = 0; i < w->test->n_variables; i++) {
		if (!is_declared(w, i))
			continue;
		fprintf(w->out, "static ");
		c_program_write_type(w, w->test->variables[i].type);
		fprintf(w->out, " *v%zu;\n", i);
	}
}

static void write_plain_calls(const char *const *functions, FILE *out)
{
	for (; functions && *functions; functions++)
		fprintf(out, "\t%s();\n", *functions);
}

static void write_thread(const struct writing *w, const struct rfs_driver_functions *functions, int section,
			 const char *name)
{
	fprintf(w->out, "\nstatic void *%s(void *unused)\n{\n", name);
	write_plain_calls(functions->thread_start, w->out);
	c_program_write_calls(w, section, "\t");
	write_plain_calls(functions->thread_end, w->out);
	fprintf(w->out, "\treturn unused;\n}\n");
}

void rfs_c_program_write(const struct rfs_c_program *program, const struct rfs_sequence *test,
			 const struct rfs_library *library, FILE *out)
{
	const struct writing w = {test, library, program->results, out};

	if (program->comment)
		write_comment(program->comment, out);
	write_includes(program, &w);
	write_globals(&w);
	if (w.results)
		rfs_c_results_keep(w.results, test, out);
	write_thread(&w, &program->functions, RFS_SUFFIX_1, "first");
	write_thread(&w, &program->functions, RFS_SUFFIX_2, "second");
	if (w.results)
		rfs_c_results_check(w.results, test, out);
	fprintf(out, "\nint main(void)\n{\n\tpthread_t threads[2];\n\n");
	write_plain_calls(program->functions.init, out);
	c_program_write_calls(&w, RFS_PREFIX, "\t");
	fprintf(out, "\tpthread_create(&threads[0], NULL, first, NULL);\n"
		     "\tpthread_create(&threads[1], NULL, second, NULL);\n"
		     "\tpthread_join(threads[0], NULL);\n"
		     "\tpthread_join(threads[1], NULL);\n");
	c_program_write_calls(&w, RFS_STATE, "\t");
	fprintf(out, "%s\treturn 0;\n}\n", w.results ? "\tcheck();\n" : "");
}
