/*
 * spinning.h - tells whether the threads that run only wait for another one, by looks at memory or at the clock.
 *
 * A thread that waits in a loop repeats a few operations: it yields, reads a flag, tries a lock or sleeps. Values are
 * not known here, so a long loop that counts with atomic instructions looks the same. Therefore operations that only
 * look weigh more than operations that may also write.
 */
#ifndef RFS_SPINNING_H
#define RFS_SPINNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/operations.h"

/* Weights of one repeated operation. RFS_SPINNING_LIMIT is a sensible limit of the sum: 100 looks, or 1,000 others. */
#define RFS_SPINNING_LOOK 10u
#define RFS_SPINNING_TRY 1u
#define RFS_SPINNING_LIMIT (100u * RFS_SPINNING_LOOK)

/* The loops of all threads together have at most this many different operations. */
#define RFS_SPINNING_WINDOW 16

/* Zeroed memory: nothing has run. */
struct rfs_spinning {
	struct rfs_spinning_op {
		int thread;
		enum rfs_op_kind kind;
		rfs_site site;
		rfs_addr object;
	} recent[RFS_SPINNING_WINDOW];
	size_t next;
	uint64_t sum; /* weights of the operations since the last one that was no repetition */
	bool slept;   /* one of them was a sleep */
};

/* Takes an executed operation into account. */
void rfs_spinning_note(struct rfs_spinning *spinning, int thread, const struct rfs_op *op);

/* Forgets what was noted. */
void rfs_spinning_restart(struct rfs_spinning *spinning);

/* The limit after a livelock: half of this one, but at least two tries. So a program with many livelocks loses little
 * time. */
uint64_t rfs_spinning_next_limit(uint64_t limit);

/* How many more operations can be executed before the sum may reach the limit. */
uint64_t rfs_spinning_left(const struct rfs_spinning *spinning, uint64_t limit);

#endif
