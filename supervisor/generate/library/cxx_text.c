/* cxx_text.c - types and methods as C++ text. */
#include "supervisor/generate/library/cxx_text.h"

#include "disasm/dwarf/prototypes.h"
#include "supervisor/base/alloc.h"
#include "supervisor/generate/library/library.h"

/* How deep pointers to pointers may nest. */
#define DEPTH_MAX 8

static void cxx_text_write_type(const struct rfs_c_type *type, bool references, int depth, FILE *out)
{
	const struct rfs_c_type *plain = rfs_c_plain(type);

	if (rfs_library_is_string(plain)) {
		fprintf(out, "%sstd::string", rfs_c_is_const(type) ? "const " : "");
	} else if (plain->kind == RFS_C_POINTER && depth < DEPTH_MAX) {
		cxx_text_write_type(plain->to, references, depth + 1, out);
		fprintf(out, " %s", !references || !plain->is_reference ? "*" : plain->is_rvalue ? "&&" : "&");
		if (rfs_c_is_const(type))
			fprintf(out, "const");
	} else if (plain->kind == RFS_C_VOID) {
		fprintf(out, "%svoid", rfs_c_is_const(type) ? "const " : "");
	} else if (plain->kind == RFS_C_FUNCTION) {
		fprintf(out, "function");
	} else {
		fprintf(out, "%s%s", rfs_c_is_const(type) ? "const " : "", plain->name ? plain->name : "unnamed");
	}
}

void rfs_cxx_type_write(const struct rfs_c_type *type, bool references, FILE *out)
{
	cxx_text_write_type(type, references, 0, out);
}

static bool is_const(const struct rfs_cxx_method *method, const struct rfs_c_type *function)
{
	const struct rfs_c_type *object = function->n_parameters ? rfs_c_plain(function->parameters[0]) : NULL;

	return method->kind == RFS_CXX_METHOD && object && object->kind == RFS_C_POINTER && rfs_c_is_const(object->to);
}

char *rfs_cxx_shown(const struct rfs_cxx_method *method, const struct rfs_c_type *function)
{
	char *text;
	size_t size, first = method->kind != RFS_CXX_STATIC;
	FILE *out = xopen_memstream(&text, &size);

	fprintf(out, "%s::%s(", method->object->name ? method->object->name : "class", method->name);
	for (size_t i = first; i < function->n_parameters; i++) {
		fprintf(out, i > first ? ", " : "");
		cxx_text_write_type(function->parameters[i], true, 0, out);
	}
	fprintf(out, ")%s", is_const(method, function) ? " const" : "");
	fclose(out);
	return text;
}
