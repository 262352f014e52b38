/* c_program.h - writes a generated test as a C program. */
#ifndef RFS_C_PROGRAM_H
#define RFS_C_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "supervisor/generate/tests/trial.h"

struct rfs_library;
struct rfs_sequence;
struct rfs_wrong_result;

struct rfs_c_program {
	const char *comment;	    /* the lines at its top, without comment signs; NULL: none */
	const char *const *headers; /* as in #include, with a path or found by the compiler's flags */
	size_t n_headers;
	struct rfs_driver_functions functions;
	const struct rfs_wrong_result *results; /* what the program compares; NULL: nothing */
	bool tolerant; /* the compiler must not warn of null arguments, unused results, or deprecation */
};

void rfs_c_program_write(const struct rfs_c_program *program, const struct rfs_sequence *test,
			 const struct rfs_library *library, FILE *out);
/* Writes the calls of one section as in the program, one a line. */
void rfs_c_program_calls(const struct rfs_sequence *test, const struct rfs_library *library, int section,
			 const char *indent, FILE *out);

#endif
