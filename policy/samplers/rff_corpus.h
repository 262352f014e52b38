/*
 * rff_corpus.h - what the policy rff knows from earlier runs, and which schedule it tries next.
 *
 * The *pairs* are reads-from pairs (reads_from.h): those that runs had, and those that a run could have, because both
 * events used the same place. A *constraint* says that a run should have a pair, or should not. A *schedule* is a set
 * of constraints; the corpus is a list of schedules. Its first one has no constraints.
 *
 * A schedule of the corpus gives its energy in runs, then the next one follows. The energy doubles each time the
 * schedule is chosen. A schedule whose rarest pair more runs had than the average gives none (power schedule COE:
 * Bohme, Pham & Roychoudhury, Coverage-Based Greybox Fuzzing as Markov Chain, CCS 2016). Each run mutates the schedule:
 * a constraint is added, replaced, negated or removed. New ones are drawn by how few runs had the pair or tried it.
 *
 * What the paper does not have: while there are pairs that no run had or tried, three runs in four ask for one of them,
 * mostly alone. One constraint is enough for many bugs.
 *
 * If a run had a new pair, or a rare one with pairs that no run had together, its schedule joins the corpus. It
 * consists of the constraints that the run fulfilled, and of positive ones for the new pair and the rarest pairs of the
 * run. The paper keeps the mutated schedule as it is. But a run also owes much to luck, which a later run would need
 * again.
 */
#ifndef RFS_RFF_CORPUS_H
#define RFS_RFF_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/core/rng.h"

struct rfs_blob;

/* The blob has 32 bytes for each pair, 48 for each schedule, and 8 for each combination. */
#define RFS_RFF_PAIRS_MAX 1024
#define RFS_RFF_SCHEDULES_MAX 128
#define RFS_RFF_COMBINATIONS_MAX 512
#define RFS_RFF_CONSTRAINTS_MAX 8

struct rfs_rff_pair {
	uint64_t writer, reader; /* events (reads_from.h) */
	uint64_t address;	 /* where a run last had it, or could have had it */
	uint32_t runs;		 /* that had the pair */
	uint32_t tried;		 /* runs that should have had it, and had not */
};

struct rfs_rff_constraint {
	uint16_t pair; /* index */
	uint16_t negative;
};

struct rfs_rff_schedule {
	uint32_t n, chosen; /* chosen: how often it gave its energy */
	uint32_t rarest;    /* index of the pair with the fewest runs, when it joined */
	uint32_t runs;	    /* made from it */
	struct rfs_rff_constraint list[RFS_RFF_CONSTRAINTS_MAX];
};

struct rfs_rff_corpus {
	uint64_t runs; /* made so far; 0: nothing is known */
	uint32_t now;  /* the schedule that gives its energy */
	uint32_t left; /* runs that it gives still */
	uint32_t n_pairs, n_schedules, n_combinations;
	struct rfs_rff_pair *pairs;
	struct rfs_rff_schedule *schedules;
	uint64_t *combinations; /* hashes of the pairs that a run had, each once */
};

/* What a run found out. */
struct rfs_rff_found {
	const struct rfs_rff_pair *had, *possible; /* only writer, reader and address count; all of had differ */
	size_t n_had, n_possible;
	const struct rfs_rff_schedule *schedule; /* what it tried */
	uint32_t fulfilled;			 /* bit i: constraint i of the schedule */
};

/* Reads a blob; NULL: nothing is known. -EINVAL: another policy wrote the blob, or it is damaged. */
int rfs_rff_corpus_read(struct rfs_rff_corpus *corpus, const struct rfs_blob *blob);
void rfs_rff_corpus_write(const struct rfs_rff_corpus *corpus, struct rfs_blob *blob);
void rfs_rff_corpus_release(struct rfs_rff_corpus *corpus);

/* Chooses the schedule of the next run. */
void rfs_rff_corpus_next(struct rfs_rff_corpus *corpus, struct rfs_rng *rng, struct rfs_rff_schedule *out);
void rfs_rff_corpus_learn(struct rfs_rff_corpus *corpus, const struct rfs_rff_found *found);

#endif
