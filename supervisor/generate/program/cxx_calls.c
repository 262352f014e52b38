/*
 * cxx_calls.c - arguments have casts to the types of their parameters, because methods may be overloaded. A callback
 * has no cast, because its type would be long: it is an object that converts to any pointer.
 */
#include "supervisor/generate/program/cxx_calls.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "disasm/dwarf/prototypes.h"
#include "supervisor/generate/library/c_text.h"
#include "supervisor/generate/library/cxx_text.h"
#include "supervisor/generate/library/library.h"
#include "supervisor/generate/tests/sequence.h"

/* ---- values ---- */

static void cxx_calls_write_cast(const struct rfs_c_type *type, FILE *out)
{
	putc('(', out);
	rfs_cxx_type_write(rfs_c_plain(type), false, out);
	putc(')', out);
}

static void write_number(const struct rfs_value *value, const struct rfs_c_type *plain, FILE *out)
{
	if (plain->kind == RFS_C_BOOL) {
		fprintf(out, value->integer ? "true" : "false");
		return;
	}
	if (!plain->name || strcmp(plain->name, "int") != 0)
		cxx_calls_write_cast(plain, out);
	fprintf(out, "%" PRId64, value->integer);
}

/* A pointer of the parameter's type. */
static void write_pointer(const struct rfs_value *value, const struct rfs_c_type *plain, FILE *out)
{
	const struct rfs_c_type *to = plain->kind == RFS_C_POINTER ? rfs_c_plain(plain->to) : plain;
	bool is_text = to->kind == RFS_C_INTEGER && to->is_character && to->is_signed;

	switch (value->kind) {
	case RFS_VALUE_STRING:
		if (!is_text)
			cxx_calls_write_cast(plain, out);
		rfs_c_text_write(value->string, out);
		break;
	case RFS_VALUE_CXX_STRING:
		fprintf(out, "new std::string(");
		rfs_c_text_write(value->string, out);
		fprintf(out, ")");
		break;
	case RFS_VALUE_MEMORY:
		cxx_calls_write_cast(plain, out);
		fprintf(out, "calloc(1, %" PRId64 ")", value->integer);
		break;
	case RFS_VALUE_VARIABLE:
		fprintf(out, "v%" PRId64, value->integer);
		break;
	case RFS_VALUE_ADDRESS:
		fprintf(out, "&v%" PRId64, value->integer);
		break;
	case RFS_VALUE_CALLBACK_ZERO:
		fprintf(out, "any_pointer{(void *)returns_zero}");
		break;
	case RFS_VALUE_CALLBACK_IDENTITY:
		fprintf(out, "any_pointer{(void *)returns_first}");
		break;
	default: /* a null pointer */
		if (to->kind == RFS_C_FUNCTION) {
			fprintf(out, "nullptr");
			break;
		}
		cxx_calls_write_cast(plain, out);
		fprintf(out, "nullptr");
	}
}

/* Whether the parameter is a value, or a reference that accepts one. */
static bool may_be_temporary(const struct rfs_c_type *plain)
{
	return plain->kind != RFS_C_POINTER || (plain->is_reference && (plain->is_rvalue || rfs_c_is_const(plain->to)));
}

static void cxx_calls_write_value(const struct rfs_value *value, FILE *out)
{
	const struct rfs_c_type *plain = rfs_c_plain(value->type);

	if (value->kind == RFS_VALUE_INTEGER) {
		write_number(value, plain, out);
	} else if (value->kind == RFS_VALUE_DESCRIPTOR) {
		rfs_c_text_descriptor(out);
	} else if (value->kind == RFS_VALUE_STREAM) {
		rfs_c_text_stream(out);
	} else if (value->kind == RFS_VALUE_REAL) {
		if (plain->size == sizeof(float))
			fprintf(out, "(float)");
		fprintf(out, "%.1f", value->real);
	} else if (value->kind == RFS_VALUE_RECORD) {
		fprintf(out, "%s()", plain->name ? plain->name : "unnamed");
	} else if (value->kind == RFS_VALUE_CXX_STRING && may_be_temporary(plain)) {
		fprintf(out, "std::string(");
		rfs_c_text_write(value->string, out);
		fprintf(out, ")");
	} else if (plain->kind != RFS_C_POINTER) { /* an enumeration without constants */
		cxx_calls_write_cast(plain, out);
		fprintf(out, "0");
	} else {
		if (plain->is_rvalue) {
			fprintf(out, "static_cast<");
			rfs_cxx_type_write(plain->to, false, out);
			fprintf(out, " &&>(");
		}
		fprintf(out, plain->is_reference ? "*" : "");
		write_pointer(value, plain, out);
		fprintf(out, plain->is_rvalue ? ")" : "");
	}
}

/* ---- calls ---- */

/* The object of a method, as a pointer. */
static void write_object(const struct rfs_value *value, FILE *out)
{
	if (value->kind == RFS_VALUE_VARIABLE) {
		fprintf(out, "v%" PRId64, value->integer);
		return;
	}
	fprintf(out, "(");
	write_pointer(value, rfs_c_plain(value->type), out);
	fprintf(out, ")");
}

void rfs_cxx_prologue_write(FILE *out)
{
	fprintf(out, "/* converts to any pointer */\n"
		     "struct any_pointer {\n"
		     "\tvoid *address;\n"
		     "\ttemplate <typename T> operator T *() const { return reinterpret_cast<T *>(address); }\n"
		     "};\n\n");
}

/* "Foo" of "ns::Foo". What is in angle brackets does not count. */
static const char *last_name(const char *name)
{
	const char *last = name, *end = name + strcspn(name, "<");

	for (const char *at = name; at + 1 < end; at++)
		if (at[0] == ':' && at[1] == ':')
			last = at + 2;
	return last;
}

void rfs_cxx_call_write(const struct rfs_library_function *function, const struct rfs_sequence_call *call, FILE *out)
{
	const struct rfs_cxx_method *method = function->method;
	const char *class = method->object->name ? method->object->name : "unnamed";
	size_t first = method->kind != RFS_CXX_STATIC;

	/* the object's memory is the variable */
	if (call->variable >= 0 && rfs_c_plain(function->type->to)->is_reference)
		fprintf(out, "&");
	switch (method->kind) {
	case RFS_CXX_CONSTRUCTOR:
		fprintf(out, "new (");
		write_object(&call->values[0], out);
		fprintf(out, ") %s(", class);
		break;
	case RFS_CXX_DESTRUCTOR:
		write_object(&call->values[0], out);
		fprintf(out, "->~%s(", last_name(class));
		break;
	case RFS_CXX_STATIC:
		fprintf(out, "%s::%s(", class, method->name);
		break;
	case RFS_CXX_METHOD:
		write_object(&call->values[0], out);
		/* the test calls the method of this class */
		fprintf(out, method->is_virtual ? "->%s::%s(" : "->%.0s%s(", class, method->name);
		break;
	}
	for (size_t i = first; i < call->n_values; i++) {
		fprintf(out, i > first ? ", " : "");
		cxx_calls_write_value(&call->values[i], out);
	}
	fprintf(out, ");\n");
}
