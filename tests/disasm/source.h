/*
 * source.h - compiles a few lines of C while a test runs.
 */
#ifndef RFS_TESTS_SOURCE_H
#define RFS_TESTS_SOURCE_H

#include <stdio.h>

/* Compiles and links source with gcc and the given options (blanks between them). The program's path; give it to
 * source_remove(). A failure ends the test. */
char *source_build(const char *source, const char *options);
void source_remove(char *path);

/* Writes a hidden function of these instructions, in the assembler's AT&T syntax, as a line of C. */
void source_function(FILE *out, const char *name, const char *body);

#endif
