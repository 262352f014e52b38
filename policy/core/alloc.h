/*
 * alloc.h - memory allocation for policies and detectors. If memory is exhausted, the program ends, because a detector
 * without a part of its history would silently miss pairs.
 */
#ifndef RFS_POLICY_ALLOC_H
#define RFS_POLICY_ALLOC_H

#include <stddef.h>

/* Prints that memory is exhausted and aborts. */
void rfs_policy_out_of_memory(void) __attribute__((noreturn));

/* Allocates n zeroed elements; n * size must not be 0. Never returns NULL. Caller frees with free(). */
void *rfs_policy_zalloc(size_t n, size_t size);

/*
 * Grows array to at least n elements if it has fewer, and updates *capacity. capacity and n count elements of size
 * bytes. New elements are zeroed. Returns the array, which may have moved; the caller frees it with free().
 */
void *rfs_policy_grow(void *array, size_t *capacity, size_t n, size_t size);
/* The same for arrays of which there are many, and of which most stay small: it begins with one element instead of 8.
 */
void *rfs_policy_grow_small(void *array, size_t *capacity, size_t n, size_t size);

#endif
