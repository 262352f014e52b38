/*
 * rng.h - the seeded generator of every random choice.
 *
 * THIS IS PART OF THE RECORD FORMAT. A seed must mean the same run tomorrow, so neither the algorithm nor the number of
 * draws that a function takes may change without a new record version:
 *
 *  - generator: xoshiro256** 1.0 (Blackman & Vigna, Scrambled Linear Pseudorandom Number Generators, ACM TOMS 2021);
 *  - seeding: its four words are four consecutive outputs of splitmix64 (Steele, Lea & Flood, OOPSLA 2014), whose state
 *    starts as the seed, or, for stream C > 0, as the seed xor the first output of a splitmix64 that starts as C;
 *  - rfs_rng_below: the high word of a 64 x 64 bit product, low words under 2^64 mod n drawn again (Lemire, Fast Random
 *    Integer Generation in an Interval, TOMACS 2019): no value is more likely than another. n = 1 takes no draw;
 *  - rfs_rng_chance(p, q): one rfs_rng_below(q), true if it is under p.
 */
#ifndef RFS_RNG_H
#define RFS_RNG_H

#include <stdbool.h>
#include <stdint.h>

struct rfs_rng {
	uint64_t s[4]; /* not all zero */
};

void rfs_rng_init(struct rfs_rng *rng, uint64_t seed);

/* An independent generator for each stream of a seed; stream 0 is rfs_rng_init(). */
void rfs_rng_init_stream(struct rfs_rng *rng, uint64_t seed, uint64_t stream);

uint64_t rfs_rng_next(struct rfs_rng *rng);

/* Uniform in [0, n), n > 0. */
uint64_t rfs_rng_below(struct rfs_rng *rng, uint64_t n);

/* True with probability numerator / denominator. */
bool rfs_rng_chance(struct rfs_rng *rng, uint64_t numerator, uint64_t denominator);

#endif
