/* shim_cxx.c - the shim of C++ has debug information with all classes of the headers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "disasm/dwarf/prototypes.h"
#include "disasm/elf/elf.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/text/number.h"
#include "supervisor/generate/library/compiler.h"
#include "supervisor/generate/library/shim-priv.h"

/* A function that the library exports. */
struct exported {
	char *name; /* key */
	UT_hash_handle hh;
};

static void shim_cxx_add_exported(void *arg, const char *name, rfs_addr vaddr, uint64_t size, enum rfs_symbol_type type)
{
	struct exported **all = arg, *row;

	(void)vaddr;
	(void)size;
	if (type != RFS_SYMBOL_FUNCTION && type != RFS_SYMBOL_IFUNC)
		return;
	HASH_FIND_STR(*all, name, row);
	if (row)
		return;
	row = xcalloc(1, sizeof(*row));
	row->name = xstrdup(name);
	HASH_ADD_KEYPTR(hh, *all, row->name, strlen(row->name), row);
}

static bool is_exported(void *arg, const char *name)
{
	struct exported *const *all = arg, *row;

	HASH_FIND_STR(*all, name, row);
	return row;
}

static int read_classes(const struct rfs_elf *library, struct rfs_shim *out, char *why, size_t n)
{
	struct exported *all = NULL, *row, *next;
	const struct rfs_prototype *rows;
	int error;

	rfs_elf_each_symbol(library, shim_cxx_add_exported, &all);
	error = rfs_prototypes_read_classes(out->path, is_exported, &all, &out->prototypes, why, n);
	if (!error && !rfs_prototypes(out->prototypes, &rows))
		error = rfs_why(why, n, -EINVAL,
				"%s exports no public method of a class that the headers declare; check that they "
				"belong together",
				rfs_elf_path(library));
	HASH_ITER (hh, all, row, next) {
		HASH_DEL(all, row);
		free(row->name);
		free(row);
	}
	return error;
}

/* ---- traits ---- */

/*
 * Debug information does not say how a class is passed, nor whether it is abstract. The compiler does: in a second
 * object, the size of a variable of each class is 1 plus these bits.
 */
#define ABSTRACT 1
#define BY_REFERENCE 2
#define TRAITS "rfs_traits_"

struct traits {
	const struct rfs_c_type **classes;
	size_t n;
	bool *refused;
};

static void add_class(struct traits *traits, const struct rfs_c_type *type)
{
	const struct rfs_c_type *plain = rfs_c_plain(type);

	if ((plain->kind != RFS_C_STRUCT && plain->kind != RFS_C_UNION) || !plain->name)
		return;
	for (size_t i = 0; i < traits->n; i++)
		if (traits->classes[i] == plain)
			return;
	traits->classes = xreallocarray(traits->classes, traits->n + 1, sizeof(*traits->classes));
	traits->classes[traits->n++] = plain;
}

static void add_classes(struct traits *traits, const struct rfs_shim *shim)
{
	const struct rfs_prototype *rows;
	size_t n = rfs_prototypes(shim->prototypes, &rows);

	for (size_t i = 0; i < n; i++) {
		add_class(traits, rows[i].method->object);
		add_class(traits, rows[i].type->to);
		for (size_t k = 0; k < rows[i].type->n_parameters; k++)
			add_class(traits, rows[i].type->parameters[k]);
	}
}

static int write_traits(const struct traits *traits, struct rfs_shim_source *source, const char *const *headers,
			size_t n_headers, char *why, size_t n)
{
	FILE *out = xopen_memstream(&source->text, &source->size);

	rfs_shim_includes(out, headers, n_headers);
	source->first = (unsigned)n_headers + 1;
	for (size_t i = 0; i < traits->n; i++) {
		const char *name = traits->classes[i]->name;

		if (!traits->refused[i])
			fprintf(out,
				"extern \"C\" { char " TRAITS
				"%zu[1 + (__is_abstract(%s) ? %d : 0) + (__has_trivial_copy(%s) "
				"&& __has_trivial_destructor(%s) ? 0 : %d)]; }",
				i, name, ABSTRACT, name, name, BY_REFERENCE);
		fprintf(out, "\n");
	}
	return rfs_shim_save(source, out, why, n);
}

static void take_trait(void *arg, const char *name, rfs_addr vaddr, uint64_t size, enum rfs_symbol_type type)
{
	const struct traits *traits = arg;
	uint64_t number;

	(void)vaddr;
	if (type != RFS_SYMBOL_OBJECT || strncmp(name, TRAITS, strlen(TRAITS)) != 0 || !size ||
	    rfs_number_parse(name + strlen(TRAITS), 0, traits->n - 1, &number))
		return;
	rfs_c_set_traits(traits->classes[number], (size - 1) & ABSTRACT, (size - 1) & BY_REFERENCE);
}

static int compile_traits(const struct rfs_compiler *compiler, struct traits *traits, struct rfs_shim_source *source,
			  const char *path, const char *const *headers, size_t n_headers, char *why, size_t n)
{
	const char *const words[] = {"-w", "-fno-access-control", "-fPIC", "-shared", "-o", path, source->path, NULL};
	char *said = NULL, *first;
	size_t more = 1;
	int error = 0;

	for (int i = 0; i < RFS_SHIM_ATTEMPTS && more && !error; i++) {
		free(said);
		said = NULL;
		error = write_traits(traits, source, headers, n_headers, why, n);
		if (error)
			break;
		error = rfs_compiler_run(compiler, words, &said);
		more = error == -EINVAL ? rfs_shim_refuse(source, said, traits->n, traits->refused) : 0;
		error = more ? 0 : error;
	}
	if (said && (error || more)) {
		first = rfs_compiler_first_error(said);
		error = rfs_why(why, n, error ? error : -EINVAL, "cannot compile the classes of the library: %s",
				first);
		free(first);
	}
	free(said);
	return error;
}

static int read_traits(const struct rfs_compiler *compiler, const char *const *headers, size_t n_headers,
		       const char *folder, struct rfs_shim *shim, char *why, size_t n)
{
	struct rfs_shim_source source = {.path = xasprintf("%s/traits.cc", folder)};
	char *path = xasprintf("%s/traits.so", folder);
	struct traits traits = {0};
	struct rfs_elf *elf = NULL;
	int error;

	add_classes(&traits, shim);
	/* if the compiler does not say it, assume that objects are passed by reference */
	for (size_t i = 0; i < traits.n; i++)
		rfs_c_set_traits(traits.classes[i], false, true);
	traits.refused = xcalloc(traits.n + 1, sizeof(*traits.refused));
	error = compile_traits(compiler, &traits, &source, path, headers, n_headers, why, n);
	if (!error)
		error = rfs_elf_open(path, &elf, why, n);
	if (!error)
		rfs_elf_each_symbol(elf, take_trait, &traits);
	rfs_elf_free(elf);
	free(traits.classes);
	free(traits.refused);
	free(source.path);
	free(path);
	return error;
}

/* ---- the shim ---- */

/* All classes are wanted in the debug information, also those that the shim does not use, and those whose information
 * is usually in the file with their virtual methods. */
int rfs_shim_make_cxx(const struct rfs_compiler *compiler, const struct rfs_elf *library, const char *const *headers,
		      size_t n_headers, const char *folder, struct rfs_shim *out, char *why, size_t n)
{
	struct rfs_shim_source source = {.path = xasprintf("%s/shim.cc", folder)};
	const char *const words[] = {"-w",
				     "-g",
				     "-gdwarf-5",
				     "-O0",
				     "-fno-eliminate-unused-debug-types",
				     "-femit-class-debug-always",
				     "-fPIC",
				     "-shared",
				     "-Wl,--no-as-needed",
				     "-o",
				     out->path,
				     source.path,
				     rfs_elf_path(library),
				     NULL};
	FILE *file = xopen_memstream(&source.text, &source.size);
	char *said = NULL, *first;
	int error;

	rfs_shim_includes(file, headers, n_headers);
	error = rfs_shim_save(&source, file, why, n);
	if (!error) {
		error = rfs_compiler_run(compiler, words, &said);
		first = rfs_compiler_first_error(said);
		if (error == -EINVAL)
			snprintf(why, n, "the headers do not compile: %s; check --header and --cflags", first);
		else if (error)
			snprintf(why, n, "cannot run the compiler '%s': %s; install g++ or set CXX", compiler->words[0],
				 strerror(-error));
		free(first);
	}
	free(said);
	free(source.path);
	if (!error)
		error = read_classes(library, out, why, n);
	return error ? error : read_traits(compiler, headers, n_headers, folder, out, why, n);
}
