/*
 * source.h - compiles a few lines of C while a test runs.
 */
#ifndef RFS_TESTS_SOURCE_H
#define RFS_TESTS_SOURCE_H

#include <stdio.h>

/*
 * Compiles and links source with gcc and the given options, which blanks separate. Returns the program's path, to be
 * given to source_remove(). If gcc fails, the test ends.
 */
char *source_build(const char *source, const char *options);
void source_remove(char *path);

/* Writes a hidden function with these instructions (AT&T syntax) as one line of C. */
void source_function(FILE *out, const char *name, const char *body);

#endif
