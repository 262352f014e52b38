/*
 * rng.h - the seeded generator for every random choice.
 *
 * THIS IS PART OF THE RECORD FORMAT: a seed must always give the same run. Changing the algorithm, or how many draws a
 * function takes, needs a new record version.
 *
 *  - Generator: xoshiro256** 1.0 (Blackman & Vigna, Scrambled Linear Pseudorandom Number Generators, ACM TOMS 2021).
 *  - Seeding: its four words are four successive outputs of splitmix64 (Steele, Lea & Flood, OOPSLA 2014). The state of
 *    this splitmix64 starts as the seed. For stream C > 0, it starts as the seed xor the first output of a splitmix64
 *    that starts as C.
 *  - rfs_rng_below(n): the high word of the product of a draw and n, 64 x 64 bits. If the low word is below 2^64 mod n,
 *    it draws again. So all values are equally likely (Lemire, Fast Random Integer Generation in an Interval, TOMACS
 *    2019). n = 1 takes no draw.
 *  - rfs_rng_chance(p, q): one rfs_rng_below(q); true if the result is below p.
 */
#ifndef RFS_RNG_H
#define RFS_RNG_H

#include <stdbool.h>
#include <stdint.h>

struct rfs_rng {
	uint64_t s[4]; /* not all zero */
};

void rfs_rng_init(struct rfs_rng *rng, uint64_t seed);

/* Each stream of a seed is an independent generator. Stream 0 is the same as rfs_rng_init(). */
void rfs_rng_init_stream(struct rfs_rng *rng, uint64_t seed, uint64_t stream);

uint64_t rfs_rng_next(struct rfs_rng *rng);

/* A uniform number in [0, n). n must not be 0. */
uint64_t rfs_rng_below(struct rfs_rng *rng, uint64_t n);

/* True with probability numerator / denominator. */
bool rfs_rng_chance(struct rfs_rng *rng, uint64_t numerator, uint64_t denominator);

#endif
