/*
 * shim.h - a small shared object beside a library. For C, it has a pointer to each function of the library's headers,
 * static inline ones included, and debug information with all their types. For C++, it has debug information with all
 * classes.
 */
#ifndef RFS_SHIM_H
#define RFS_SHIM_H

#include <stdbool.h>
#include <stddef.h>

#include "supervisor/generate/library/declarations.h"

struct rfs_compiler;
struct rfs_elf;
struct rfs_prototypes;

/* The names of the shim's variables begin with this. */
#define RFS_SHIM_PREFIX "rfs_p_"

struct rfs_shim {
	bool is_cxx;
	struct rfs_declarations declarations; /* of C */
	struct rfs_prototypes *prototypes;    /* of the declarations whose type the compiler knows */
	char *path;			      /* of the shared object */
	size_t n_refused;		      /* declarations that the compiler did not accept in the shim */
};

/*
 * Makes the shim of a library in the folder. headers: as in #include, with a path or found by the compiler's flags.
 * Returns 0 (release with rfs_shim_release()), or -errno and a line in why.
 */
int rfs_shim_make(const struct rfs_compiler *compiler, const struct rfs_elf *library, const char *const *headers,
		  size_t n_headers, const char *folder, struct rfs_shim *out, char *why, size_t n)
	__attribute__((warn_unused_result));
void rfs_shim_release(struct rfs_shim *shim);

#endif
