/*
 * sweep_plan.h - what the policy sweep knows from earlier runs, and what it tries next.
 *
 * There are two base schedules, which the policy can execute without any information. An *alternative* is one other
 * choice at one point of a run. In each run, the alternatives of each class are numbered from 0, in the order in which
 * the run meets them. A run takes at most two alternatives. Their numbers are the same in
 * every run, because two runs are equal up to the point where they first make different choices.
 *
 * A run that takes one alternative is a *single*. A base schedule, a class and a number below the count of the base run
 * identify it. A run that takes two is a *pair*. A single, a class and a number identify it; the number is below the
 * count that the single found after its alternative. Each of these runs is planned exactly once:
 *
 *  1. a base run, one single of class NEW, and the other base run
 *  2. all singles of class NEW, in turn from each base schedule
 *  3. in turn: a pair, a single of the classes AGAIN and REST, a pair, a single of class OTHER
 *
 * Numbers are taken in large steps, so that even a few runs are spread over the whole schedule. Each pair continues the
 * single with the fewest pairs, and takes alternatives of class NEW before others.
 */
#ifndef RFS_POLICY_SWEEP_PLAN_H
#define RFS_POLICY_SWEEP_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/choice/conflicts.h"
#include "policy/policy.h"

enum rfs_sweep_class {
	RFS_SWEEP_NEW,	 /* at an operation in conflict: the first alternative of its kind */
	RFS_SWEEP_AGAIN, /* the second one of its kind, or one before a release */
	RFS_SWEEP_REST,	 /* all further ones at operations in conflict */
	RFS_SWEEP_OTHER, /* at operations that no other thread can notice */
	RFS_SWEEP_CLASSES
};

/* At most this many singles are remembered. The blob has 32 bytes for each. */
#define RFS_SWEEP_SINGLES_MAX 1024

struct rfs_sweep_base {
	uint32_t known;						      /* 1: its run was made */
	uint32_t counts[RFS_SWEEP_CLASSES], taken[RFS_SWEEP_CLASSES]; /* singles in all, and those made so far */
	struct rfs_key_set conflicts;
};

struct rfs_sweep_single {
	uint32_t base, class, number;
	uint32_t after[RFS_SWEEP_CLASSES]; /* alternatives after the one taken */
	uint32_t pairs;			   /* made so far */
};

struct rfs_sweep_memory {
	uint32_t n_bases;    /* 0: no run was made; 1: both base schedules are the same */
	uint32_t turn;	     /* in step 3 */
	uint32_t incomplete; /* 1: something could not be remembered, so not all pairs can be made */
	uint32_t n_singles;
	struct rfs_sweep_base bases[2];
	struct rfs_key_set sites; /* of all operations of base runs */
	struct rfs_sweep_single *singles;
};

enum rfs_sweep_kind { RFS_SWEEP_BASE, RFS_SWEEP_SINGLE, RFS_SWEEP_PAIR, RFS_SWEEP_DONE };

struct rfs_sweep_plan {
	enum rfs_sweep_kind kind;
	uint32_t base;
	unsigned bound, n; /* the most alternatives of a run; alternatives to take now */
	struct {
		enum rfs_sweep_class class;
		uint32_t number; /* from 0; of the second one: among those after the first one */
	} take[2];
	uint32_t single;   /* PAIR: which one it continues */
	bool from_singles; /* the plan is of step 3 */
};

/* What a run found out. */
struct rfs_sweep_found {
	bool parted; /* base run: there was a point where the two base schedules differ */
	bool took;   /* the first alternative was taken */
	bool stale;  /* the program is not the one that earlier runs saw: forget them */
	bool incomplete;
	uint32_t counts[RFS_SWEEP_CLASSES]; /* base run: all alternatives; single: those after the one taken */
	struct rfs_key_set conflicts;	    /* base run */
};

/* Reads a blob; NULL: nothing is known. -EINVAL: another policy wrote the blob, or it is damaged. */
int rfs_sweep_memory_read(struct rfs_sweep_memory *memory, const struct rfs_blob *blob);
void rfs_sweep_memory_write(const struct rfs_sweep_memory *memory, struct rfs_blob *blob);
void rfs_sweep_memory_release(struct rfs_sweep_memory *memory);

/* The next run, with at most `bound` alternatives. first: the base schedule of the first run. */
void rfs_sweep_next(const struct rfs_sweep_memory *memory, unsigned bound, uint32_t first, struct rfs_sweep_plan *out);
void rfs_sweep_learn(struct rfs_sweep_memory *memory, const struct rfs_sweep_plan *plan,
		     const struct rfs_sweep_found *found);

#endif
