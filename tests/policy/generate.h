/* generate.h - random programs for the model machine, for properties that must hold for every program. */
#ifndef RFS_TEST_GENERATE_H
#define RFS_TEST_GENERATE_H

#include "tests/policy/model.h"

#define GENERATED_BODIES 5
#define GENERATED_OPS 40

/*
 * The first thread creates 2 to 4 others, and joins them unless they deadlock. They read, write, increment and fill a
 * few words of memory, take locks in any order, wait, post, sleep and yield. Every program ends under every schedule:
 * loops are counted, and the only spin is on a word that another thread sets first thing.
 */
struct generated {
	struct model_op ops[GENERATED_BODIES][GENERATED_OPS];
	struct model_body bodies[GENERATED_BODIES];
	struct model_program program; /* points into this struct: do not copy it */
};

void generate_program(struct generated *out, uint64_t seed);

/* Two access sites of the program, or one and the same. */
void generate_pair(const struct generated *program, uint64_t seed, rfs_site pair[2]);

#endif
