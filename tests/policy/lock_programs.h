/*
 * lock_programs.h - random programs of locks, threads and joins, and their deadlocks by brute force. A program has no
 * branches, so its state is where each thread is. The search through all states shares no code with policy/.
 */
#ifndef RFS_TEST_LOCK_PROGRAMS_H
#define RFS_TEST_LOCK_PROGRAMS_H

#include "policy/detect/lock_graph.h"
#include "tests/policy/model.h"

#define LOCK_BODIES 4
#define LOCK_OPS 24
#define LOCK_CYCLES 512

/* Thread k runs body k. Thread 0 creates the others, at some point each, and may join them. */
struct lock_program {
	struct model_op ops[LOCK_BODIES][LOCK_OPS];
	struct model_body bodies[LOCK_BODIES];
	struct model_program program; /* has pointers into this struct: do not copy the struct */
};

/* A cycle: for each thread the index of the operation at which it holds the lock that the thread before it wants, and
 * of the operation at which it waits; -1: the thread is not in the cycle. */
struct lock_cycle {
	int held[LOCK_BODIES], wanted[LOCK_BODIES];
};

struct lock_cycles {
	struct lock_cycle list[LOCK_CYCLES]; /* all different */
	size_t n;
};

void lock_program_generate(struct lock_program *out, uint64_t seed);
/* All cycles of waiting threads in all states that a schedule reaches. */
void lock_program_reach(const struct lock_program *program, struct lock_cycles *out);
/* The cycles that are predicted from the first random run that ends. False if each tried run deadlocks. */
bool lock_program_predict(const struct lock_program *program, uint64_t seed, struct lock_cycles *out);
/* The cycle as parts; out has room for LOCK_BODIES. Returns how many parts it has. */
size_t lock_cycle_parts(const struct lock_program *program, const struct lock_cycle *cycle,
			struct rfs_lock_cycle_part *out);
bool lock_cycles_have(const struct lock_cycles *cycles, const struct lock_cycle *cycle);

#endif
