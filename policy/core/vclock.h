/* vclock.h - vector clocks (Mattern 1989): the last known time of each thread, 0 if none is known. */
#ifndef RFS_VCLOCK_H
#define RFS_VCLOCK_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed memory is a clock in which all times are zero. */
struct rfs_vclock {
	uint64_t *times; /* by thread number */
	size_t n;	 /* number of times in use; times of later threads are 0 */
	size_t capacity;
	uint64_t version; /* grows whenever a join or a clear changes the clock */
};

static inline uint64_t rfs_vclock_get(const struct rfs_vclock *clock, uint32_t thread)
{
	return thread < clock->n ? clock->times[thread] : 0;
}

void rfs_vclock_set(struct rfs_vclock *clock, uint32_t thread, uint64_t time);

/* Sets each time of clock to the larger of clock and other. */
void rfs_vclock_join(struct rfs_vclock *clock, const struct rfs_vclock *other);

/* Sets all times to zero. */
void rfs_vclock_clear(struct rfs_vclock *clock);

void rfs_vclock_release(struct rfs_vclock *clock);

#endif
