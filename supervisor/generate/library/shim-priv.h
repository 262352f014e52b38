/* shim-priv.h - what the shims of C (shim.c) and of C++ (shim_cxx.c) have in common: a source file that is compiled. */
#ifndef RFS_SHIM_PRIV_H
#define RFS_SHIM_PRIV_H

#include <stdbool.h>
#include <stdio.h>

#include "supervisor/generate/library/shim.h"

/* How often refused lines are left out and the rest is compiled again. An error may hide errors in other lines. */
#define RFS_SHIM_ATTEMPTS 8

struct rfs_shim_source {
	char *path, *text;
	size_t size;
	unsigned first; /* the line of the first declaration */
};

void rfs_shim_includes(FILE *out, const char *const *headers, size_t n);
/* Closes the stream of the source's text, and writes the file. */
int rfs_shim_save(struct rfs_shim_source *source, FILE *out, char *why, size_t n);
/* Marks the declarations whose lines have an error in what the compiler said. Returns how many. */
size_t rfs_shim_refuse(const struct rfs_shim_source *source, const char *said, size_t n_declarations, bool *refused);

/* rfs_shim_make() for C++. */
int rfs_shim_make_cxx(const struct rfs_compiler *compiler, const struct rfs_elf *library, const char *const *headers,
		      size_t n_headers, const char *folder, struct rfs_shim *out, char *why, size_t n)
	__attribute__((warn_unused_result));

#endif
