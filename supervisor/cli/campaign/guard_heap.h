/* guard_heap.h - --guard-heap: the program gets the heap of generated tests (supervisor/generate/driver/guard.c). */
#ifndef RFS_CLI_GUARD_HEAP_H
#define RFS_CLI_GUARD_HEAP_H

#include <stddef.h>

struct rfs_output;
struct rfs_program;

/* Returns 0, or -EINVAL and a line in why if the program cannot have this heap. */
int rfs_guard_heap_check(const struct rfs_program *program, char *const *envp, char *why, size_t n)
	__attribute__((warn_unused_result));
/* Writes the heap to the output folder. *out: a copy of the environment with it; free with rfs_variables_free().
 * Returns 0, or -errno and a line in why. */
int rfs_guard_heap_add(const struct rfs_output *output, char *const *envp, char ***out, char *why, size_t n)
	__attribute__((warn_unused_result));

#endif
