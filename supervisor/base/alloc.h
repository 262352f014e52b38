/* alloc.h - allocation that never fails: exhaustion ends the program (status 2), so callers need no second path. */
#ifndef RFS_ALLOC_H
#define RFS_ALLOC_H

#include <stddef.h>

/* For all functions here: caller frees with free(). */
void *xmalloc(size_t size) __attribute__((returns_nonnull));
void *xcalloc(size_t n, size_t size) __attribute__((returns_nonnull));
void *xrealloc(void *old, size_t size) __attribute__((returns_nonnull));
/* n elements of size bytes; a product that overflows counts as exhaustion. */
void *xreallocarray(void *old, size_t n, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *s) __attribute__((returns_nonnull));
/* The first n bytes of s, or all of s if it is shorter. */
char *xstrndup(const char *s, size_t n) __attribute__((returns_nonnull));
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2), returns_nonnull));

#endif
