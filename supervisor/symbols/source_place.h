/* source_place.h - a place in the code with file, line and function, and a stack of such places. */
#ifndef RFS_SOURCE_PLACE_H
#define RFS_SOURCE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place in the code. */
struct rfs_source_place {
	char *module;	 /* path; NULL: the address is in no module, and `offset` is the address */
	uint64_t offset; /* ELF virtual address */
	char *file;
	unsigned line, column; /* 0: unknown */
	char *function;
	bool described; /* the debug information has the function, even if it has no line for this instruction */
	char *near;	/* if the function has no name: "near deflate+0x1a0" or "function 0x1169" */
};

struct rfs_source_stack {
	struct rfs_source_place *frames; /* innermost first */
	size_t n_frames;
};

/* Frees what *place points to. */
void rfs_source_place_release(struct rfs_source_place *place);
void rfs_source_stack_release(struct rfs_source_stack *stack);

/*
 * Whether the place is in code that the user did not write: a header or source of the system or of a language, or a
 * library of the system.
 */
bool rfs_source_place_is_foreign(const struct rfs_source_place *place);
/* The number of the first frame in the user's code; 0 if the stack has no such frame. */
size_t rfs_source_stack_first_own(const struct rfs_source_stack *stack);

/* Adds a zeroed frame and returns it, borrowed until the next addition to the same stack. */
struct rfs_source_place *rfs_source_stack_add(struct rfs_source_stack *stack);

#endif
