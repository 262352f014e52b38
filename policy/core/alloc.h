/*
 * alloc.h - memory of the policies and detectors. Exhaustion ends the program: a detector that continued with a part of
 * its history would silently miss pairs.
 */
#ifndef RFS_POLICY_ALLOC_H
#define RFS_POLICY_ALLOC_H

#include <stddef.h>

/* Prints that memory is exhausted, and aborts. */
void rfs_policy_out_of_memory(void) __attribute__((noreturn));

/* Zeroed, never NULL (n * size > 0). Caller frees with free(). */
void *rfs_policy_zalloc(size_t n, size_t size);

/*
 * Grows the array at *array, which has room for *capacity elements of size bytes, to hold at least n; new elements are
 * zeroed. Returns the array, which stays the caller's to free().
 */
void *rfs_policy_grow(void *array, size_t *capacity, size_t n, size_t size);

#endif
