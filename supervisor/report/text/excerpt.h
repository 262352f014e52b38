/* excerpt.h - the lines of a program's output that say why it failed. */
#ifndef RFS_EXCERPT_H
#define RFS_EXCERPT_H

#include <stddef.h>

/*
 * Returns at most ten lines of n bytes of output, without empty lines and without a newline at the end. They begin at
 * the first line that looks like a failed assertion, a panic or the report of a sanitizer or of a test framework. If
 * there is none, they are the last lines. NULL: there is no text. Caller frees.
 */
char *rfs_excerpt(const char *output, size_t n);

#endif
