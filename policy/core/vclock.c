/* vclock.c - an array of times that grows with the highest number of a thread. */
#include "policy/core/vclock.h"

#include <stdlib.h>

#include "policy/core/alloc.h"

static void vclock_extend(struct rfs_vclock *clock, size_t n)
{
	if (n <= clock->n)
		return;
	clock->times = rfs_policy_grow(clock->times, &clock->capacity, n, sizeof(*clock->times));
	clock->n = n;
}

void rfs_vclock_set(struct rfs_vclock *clock, uint32_t thread, uint64_t time)
{
	vclock_extend(clock, (size_t)thread + 1);
	clock->times[thread] = time;
}

void rfs_vclock_join(struct rfs_vclock *clock, const struct rfs_vclock *other)
{
	vclock_extend(clock, other->n);
	for (size_t i = 0; i < other->n; i++) {
		if (clock->times[i] < other->times[i]) {
			clock->times[i] = other->times[i];
			clock->version++;
		}
	}
}

void rfs_vclock_clear(struct rfs_vclock *clock)
{
	for (size_t i = 0; i < clock->n; i++)
		clock->times[i] = 0;
	clock->version++;
}

void rfs_vclock_release(struct rfs_vclock *clock)
{
	free(clock->times);
	*clock = (struct rfs_vclock){0};
}
