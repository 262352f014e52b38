/*
 * sequence.h - a generated test: calls in a prefix and two suffixes, and the variables that hold their results (Pradel
 * and Gross, PLDI 2012, section 3).
 */
#ifndef RFS_SEQUENCE_H
#define RFS_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "supervisor/generate/library/value.h"

struct rfs_c_type;
struct rfs_library;

/* STATE: calls after both suffixes, which tell the state of the object. There are none with --no-results. */
enum rfs_section { RFS_PREFIX, RFS_SUFFIX_1, RFS_SUFFIX_2, RFS_STATE, RFS_N_SECTIONS };

/* In place of a function: allocates memory for an object. The argument is the number of bytes. */
#define RFS_CALL_MEMORY SIZE_MAX

struct rfs_sequence_call {
	size_t function;  /* index in the library's functions, or RFS_CALL_MEMORY */
	int variable;	  /* that keeps the result; -1: none */
	unsigned effects; /* RFS_DRIVER_ALLOCATES and RFS_DRIVER_FREES, as the last trial showed */
	struct rfs_value *values;
	size_t n_values;
};

/* A variable: a pointer to an object of a library's type. */
struct rfs_variable {
	const struct rfs_c_type *type; /* of the object */
	enum rfs_section section;      /* where it gets its value */
};

struct rfs_sequence {
	struct rfs_sequence_call *calls[RFS_N_SECTIONS];
	size_t n[RFS_N_SECTIONS];
	struct rfs_variable *variables;
	size_t n_variables;
};

/* Returns the number of the new variable. */
int rfs_sequence_add_variable(struct rfs_sequence *sequence, const struct rfs_c_type *type, enum rfs_section section);
/* Takes over call->values. */
void rfs_sequence_add_call(struct rfs_sequence *sequence, enum rfs_section section,
			   const struct rfs_sequence_call *call);
/* Drops calls and variables that were added later. mark: a copy that was made before; only its counts are used. */
void rfs_sequence_cut(struct rfs_sequence *sequence, const struct rfs_sequence *mark);
/* The argument of this kind that comes after `before` others, in the order of the calls; NULL: there are fewer. */
const struct rfs_value *rfs_sequence_value(const struct rfs_sequence *sequence, enum rfs_value_kind kind,
					   size_t before);
void rfs_sequence_copy(const struct rfs_sequence *from, struct rfs_sequence *to);
void rfs_sequence_release(struct rfs_sequence *sequence);

/*
 * Makes a test of a prefix and two suffixes of it. first, second: the prefix with a suffix in section RFS_SUFFIX_1.
 * Both may be the same. The caller releases the result.
 */
void rfs_sequence_join(const struct rfs_sequence *prefix, const struct rfs_sequence *first,
		       const struct rfs_sequence *second, struct rfs_sequence *out);

/* Writes the test for the driver (driver/script.h). */
void rfs_sequence_write(const struct rfs_sequence *sequence, const struct rfs_library *library, FILE *out);

#endif
