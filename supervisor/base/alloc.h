/*
 * alloc.h - allocation that never fails. If memory is exhausted, the program ends with status 2, so callers need no
 * error handling.
 */
#ifndef RFS_ALLOC_H
#define RFS_ALLOC_H

#include <stddef.h>
#include <stdio.h>

/* The caller frees the result of each function with free(). */
void *xmalloc(size_t size) __attribute__((returns_nonnull));
void *xcalloc(size_t n, size_t size) __attribute__((returns_nonnull));
void *xrealloc(void *old, size_t size) __attribute__((returns_nonnull));
/* n elements of `size` bytes. If n * size overflows, the program ends as if memory were exhausted. */
void *xreallocarray(void *old, size_t n, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *s) __attribute__((returns_nonnull));
/* The first n bytes of s, or all of s if it is shorter. */
char *xstrndup(const char *s, size_t n) __attribute__((returns_nonnull));
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2), returns_nonnull));
/* A stream that writes to memory; *text and *size are valid after fclose(3), and the caller frees *text. */
FILE *xopen_memstream(char **text, size_t *size) __attribute__((returns_nonnull));

#endif
