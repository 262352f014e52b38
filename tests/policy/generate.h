/* generate.h - random programs for the model machine, for tests of what must hold for every program. */
#ifndef RFS_TEST_GENERATE_H
#define RFS_TEST_GENERATE_H

#include "tests/policy/model.h"

#define GENERATED_BODIES 5
#define GENERATED_OPS 40

/*
 * The first thread creates 2 to 4 others, and joins them unless they deadlock. They read, write, increment and fill a
 * few words of memory, lock in any order, wait, post, sleep and yield. Every program ends under every schedule, because
 * loops are counted. Only one spin is possible, on a word that another thread sets as its first operation.
 */
struct generated {
	struct model_op ops[GENERATED_BODIES][GENERATED_OPS];
	struct model_body bodies[GENERATED_BODIES];
	struct model_program program; /* has pointers into this struct: do not copy the struct */
};

void generate_program(struct generated *out, uint64_t seed);

/* Chooses two access sites of the program, sometimes the same one twice. */
void generate_pair(const struct generated *program, uint64_t seed, rfs_site pair[2]);

#endif
