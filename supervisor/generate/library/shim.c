/* shim.c - writes the source of the shim, compiles it, and reads its types. */
#include "supervisor/generate/library/shim-priv.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "disasm/dwarf/prototypes.h"
#include "disasm/elf/elf.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/output.h"
#include "supervisor/generate/library/compiler.h"

/* A header that exists is included by its absolute path, because the source is in another folder. */
static void shim_include(FILE *out, const char *header)
{
	char *path = access(header, R_OK) == 0 ? realpath(header, NULL) : NULL;

	if (path)
		fprintf(out, "#include \"%s\"\n", path);
	else
		fprintf(out, "#include <%s>\n", header);
	free(path);
}

void rfs_shim_includes(FILE *out, const char *const *headers, size_t n)
{
	for (size_t i = 0; i < n; i++)
		shim_include(out, headers[i]);
}

int rfs_shim_save(struct rfs_shim_source *source, FILE *out, char *why, size_t n)
{
	int error;

	fclose(out);
	error = rfs_file_replace(source->path, source->text, source->size, 0600, false);
	if (error)
		snprintf(why, n, "%s: %s", source->path, strerror(-error));
	free(source->text);
	return error;
}

/* One line for each declaration. Without the #undef, a macro of the same name would be used. */
static int write_shim(struct rfs_shim_source *source, const struct rfs_declarations *declarations, const bool *refused,
		      const char *const *headers, size_t n_headers, char *why, size_t n)
{
	FILE *out = open_memstream(&source->text, &source->size);

	if (!out)
		return -ENOMEM;
	rfs_shim_includes(out, headers, n_headers);
	for (size_t i = 0; i < declarations->n; i++)
		fprintf(out, "#undef %s\n", declarations->rows[i].name);
	source->first = (unsigned)(n_headers + declarations->n + 1);
	for (size_t i = 0; i < declarations->n; i++) {
		const char *name = declarations->rows[i].name;

		if (refused[i])
			fprintf(out, "\n");
		else
			fprintf(out, "__typeof__(%s) *const " RFS_SHIM_PREFIX "%s = %s;\n", name, name, name);
	}
	return rfs_shim_save(source, out, why, n);
}

/* Marks the declarations whose lines have an error. Returns how many. */
size_t rfs_shim_refuse(const struct rfs_shim_source *source, const char *said, size_t n_declarations, bool *refused)
{
	size_t n = 0, length = strlen(source->path);

	for (const char *at = said; (at = strstr(at, source->path)); at += length) {
		unsigned line;

		if (sscanf(at + length, ":%u:", &line) != 1 || line < source->first ||
		    line - source->first >= n_declarations || refused[line - source->first])
			continue;
		refused[line - source->first] = true;
		n++;
	}
	return n;
}

static int shim_compile(const struct rfs_compiler *compiler, struct rfs_shim_source *source, struct rfs_shim *shim,
			const struct rfs_elf *library, const char *const *headers, size_t n_headers, char *why,
			size_t n)
{
	const char *const words[] = {"-w",	    "-g", "-O0",      "-fPIC",	    "-shared",
				     "-Wl,-z,lazy", "-o", shim->path, source->path, rfs_elf_path(library),
				     NULL};
	bool *refused = xcalloc(shim->declarations.n, sizeof(*refused));
	char *said = NULL, *first;
	size_t more = 1;
	int error = 0;

	for (int i = 0; i < RFS_SHIM_ATTEMPTS && more; i++) {
		free(said);
		said = NULL;
		error = write_shim(source, &shim->declarations, refused, headers, n_headers, why, n);
		if (error)
			break;
		error = rfs_compiler_run(compiler, words, &said);
		more = error == -EINVAL ? rfs_shim_refuse(source, said, shim->declarations.n, refused) : 0;
		shim->n_refused += more;
	}
	if (error && said) {
		first = rfs_compiler_first_error(said);
		snprintf(why, n, "cannot make the file with the library's types: %s",
			 error == -EINVAL ? first : strerror(-error));
		free(first);
	}
	free(said);
	free(refused);
	return error;
}

static int declare(const struct rfs_compiler *compiler, struct rfs_shim_source *source, const struct rfs_elf *library,
		   const char *const *headers, size_t n_headers, const char *folder, struct rfs_declarations *out,
		   char *why, size_t n)
{
	FILE *file = open_memstream(&source->text, &source->size);
	int error;

	if (!file)
		return -ENOMEM;
	rfs_shim_includes(file, headers, n_headers);
	error = rfs_shim_save(source, file, why, n);
	return error ? error : rfs_declarations_read(compiler, source->path, folder, library, out, why, n);
}

int rfs_shim_make(const struct rfs_compiler *compiler, const struct rfs_elf *library, const char *const *headers,
		  size_t n_headers, const char *folder, struct rfs_shim *out, char *why, size_t n)
{
	struct rfs_shim_source source = {.path = xasprintf("%s/shim.c", folder)};
	int error;

	*out = (struct rfs_shim){.path = xasprintf("%s/shim.so", folder)};
	if (compiler->is_cxx) {
		out->is_cxx = true;
		error = rfs_shim_make_cxx(compiler, library, headers, n_headers, folder, out, why, n);
		goto out;
	}
	error = declare(compiler, &source, library, headers, n_headers, folder, &out->declarations, why, n);
	if (!error)
		error = shim_compile(compiler, &source, out, library, headers, n_headers, why, n);
	if (!error)
		error = rfs_prototypes_read(out->path, RFS_SHIM_PREFIX, &out->prototypes, why, n);
out:
	if (error)
		rfs_shim_release(out);
	free(source.path);
	return error;
}

void rfs_shim_release(struct rfs_shim *shim)
{
	rfs_declarations_release(&shim->declarations);
	rfs_prototypes_free(shim->prototypes);
	free(shim->path);
	*shim = (struct rfs_shim){0};
}
