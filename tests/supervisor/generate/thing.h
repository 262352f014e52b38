/* thing.h - a small library for the tests of this folder: its files, as text, and what is read of them. */
#ifndef RFS_TEST_THING_H
#define RFS_TEST_THING_H

#include "supervisor/generate/library/compiler.h"
#include "supervisor/generate/library/library.h"
#include "supervisor/generate/library/shim.h"

struct thing {
	char *folder; /* of scratch_enter() */
	struct rfs_elf *elf;
	struct rfs_compiler compiler;
	struct rfs_shim shim;
	struct rfs_library library;
};

/* Compiles the library into a new folder, and reads it. */
void thing_make(struct thing *thing);
void thing_release(struct thing *thing);
/* The index of a function; fails the test if there is none. */
size_t thing_function(const struct thing *thing, const char *name);
/* The type of this name; fails the test if there is none. */
const struct rfs_library_type *thing_type(const struct thing *thing, const char *name);

#endif
