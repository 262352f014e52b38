/*
 * declarations.h - the functions that headers declare. The compiler lists them (gcc's -aux-info), so macros, includes
 * and extensions need no special treatment.
 */
#ifndef RFS_DECLARATIONS_H
#define RFS_DECLARATIONS_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_compiler;
struct rfs_elf;

struct rfs_declaration {
	char *name, *file;
	unsigned line;	/* where the declaration ends */
	bool is_inline; /* static, defined in the header */
};

struct rfs_declarations {
	struct rfs_declaration *rows; /* in the order of the compiler's list; each name once */
	size_t n;
	size_t n_not_exported; /* declared in the library's own headers, but the library does not export them */
};

/*
 * Lists the functions that the source file declares and the library exports, and the static functions that the same
 * headers define. folder: for the compiler's list. Returns 0 (free with rfs_declarations_release()), or -errno and the
 * reason in why: the compiler's first error, or that library and headers do not belong together.
 */
int rfs_declarations_read(const struct rfs_compiler *compiler, const char *source, const char *folder,
			  const struct rfs_elf *library, struct rfs_declarations *out, char *why, size_t n)
	__attribute__((warn_unused_result));
void rfs_declarations_release(struct rfs_declarations *declarations);

#endif
