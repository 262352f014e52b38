/* rng.c - xoshiro256**, seeded by splitmix64. No function here may change what a seed draws. */
#include "policy/core/rng.h"

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static uint64_t rotate_left(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

void rfs_rng_init_stream(struct rfs_rng *rng, uint64_t seed, uint64_t stream)
{
	uint64_t state = stream ? seed ^ splitmix64(&stream) : seed;

	/* splitmix64 is a bijection of its counter, so at most one of four successive outputs is zero. */
	for (int i = 0; i < 4; i++)
		rng->s[i] = splitmix64(&state);
}

void rfs_rng_init(struct rfs_rng *rng, uint64_t seed)
{
	rfs_rng_init_stream(rng, seed, 0);
}

uint64_t rfs_rng_next(struct rfs_rng *rng)
{
	uint64_t *s = rng->s;
	uint64_t result = rotate_left(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate_left(s[3], 45);
	return result;
}

uint64_t rfs_rng_below(struct rfs_rng *rng, uint64_t n)
{
	uint64_t threshold;
	unsigned __int128 product;

	if (n == 1)
		return 0;
	product = (unsigned __int128)rfs_rng_next(rng) * n;
	if ((uint64_t)product < n) {
		threshold = -n % n; /* equals 2^64 mod n */
		while ((uint64_t)product < threshold)
			product = (unsigned __int128)rfs_rng_next(rng) * n;
	}
	return (uint64_t)(product >> 64);
}

bool rfs_rng_chance(struct rfs_rng *rng, uint64_t numerator, uint64_t denominator)
{
	return rfs_rng_below(rng, denominator) < numerator;
}
