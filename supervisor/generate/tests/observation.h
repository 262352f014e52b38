/*
 * observation.h - what the calls of a test give back, which is compared: results, and what calls store where an
 * argument points. Only the calls of the suffixes and those that tell the state count.
 */
#ifndef RFS_OBSERVATION_H
#define RFS_OBSERVATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "supervisor/generate/tests/sequence.h"

enum rfs_observed_kind {
	RFS_OBSERVED_INTEGER,
	RFS_OBSERVED_REAL,    /* a float or double */
	RFS_OBSERVED_TEXT,    /* a string */
	RFS_OBSERVED_POINTER, /* which object it is */
	RFS_OBSERVED_BUFFER,  /* text in memory of the test */
};

struct rfs_observation {
	enum rfs_section section;
	size_t call;	/* index in the section */
	int parameter;	/* -1: the result of the call */
	bool is_member; /* of a structure that the call returns by value */
	size_t offset;	/* of this member, in bytes */
	enum rfs_observed_kind kind;
	const struct rfs_c_type *type; /* of the value, without typedefs */
};

/* In the order of the calls. Returns how many; the caller frees *out. */
size_t rfs_observations(const struct rfs_sequence *test, const struct rfs_library *library,
			struct rfs_observation **out);
/* How many of them are of the suffixes. Those of the calls that tell the state come after them. */
size_t rfs_observations_before_state(const struct rfs_sequence *test, const struct rfs_library *library);
/* Whether a call of the suffixes only tries to do something (rfs_library_tries()). Then results are not compared. */
bool rfs_observation_tries(const struct rfs_sequence *test, const struct rfs_library *library);
/* Writes the test for the driver, as rfs_sequence_write() does, and what it must keep (driver/results.h). */
void rfs_observations_write(const struct rfs_sequence *test, const struct rfs_library *library, FILE *out);

/* "counter_add()", or "parser_get() argument 2". Caller frees. */
char *rfs_observation_name(const struct rfs_observation *observation, const struct rfs_sequence *test,
			   const struct rfs_library *library);

#endif
