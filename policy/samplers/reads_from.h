/*
 * reads_from.h - from which operation each operation of a run gets what it reads, in terms that are the same for all
 * threads and in all runs (reads-from pairs; Wolff, Shi, Duck, Mathur & Roychoudhury, Greybox Fuzzing for Concurrency
 * Testing, ASPLOS 2024).
 *
 * An *event* is a statement with the kind of its operation, whichever thread executes it. A read of memory reads from
 * the last write of each byte. An operation that acquires, tests or wakes reads from the last operation that changed
 * the object: a lock from its unlock, a wait from its post, a signal from the wait before it. So hand-overs of locks
 * are pairs too. What nobody has changed yet is read from RFS_INITIALLY.
 */
#ifndef RFS_READS_FROM_H
#define RFS_READS_FROM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/operations.h"

#define RFS_INITIALLY UINT64_C(0)

/* An operation uses at most this many places. Of longer ranges of memory, only the beginning counts. */
#define RFS_USES_MAX 16

struct rfs_rf_place_key {
	uint64_t address, space; /* of an aligned word of memory, or of an object (enum rfs_touch_space) */
};

struct rfs_rf_use {
	struct rfs_rf_place_key place;
	unsigned bytes; /* of the word: bit i is byte i; of an object: 1 */
	bool reads, writes;
};

/* At a place, this many different events that write and this many that read are remembered. */
#define RFS_PLACE_EVENTS 8

struct rfs_rf_place; /* what is known of a place, in reads_from.c */
struct rfs_rf_event; /* and of an event */

/* Zeroed memory: nothing was executed. rfs_reads_from_release() frees the memory inside. */
struct rfs_reads_from {
	struct rfs_rf_place *places; /* uthash */
	struct rfs_rf_event *events; /* uthash */
};

/* Never RFS_INITIALLY. */
uint64_t rfs_reads_from_event(const struct rfs_op *op);
size_t rfs_reads_from_uses(const struct rfs_op *op, struct rfs_rf_use out[RFS_USES_MAX]);
/* Whether the use would read something that this event has written, or what nobody has written (INITIAL). */
bool rfs_reads_from_finds(const struct rfs_reads_from *reads, const struct rfs_rf_use *use, uint64_t writer);

typedef void rfs_reads_from_pair(void *arg, uint64_t writer, uint64_t reader, uint64_t address);

/* Calls pair for each pair that the executed operation makes, possibly with repetitions; then it is the last writer. */
void rfs_reads_from_executed(struct rfs_reads_from *reads, int thread, const struct rfs_op *op,
			     rfs_reads_from_pair *pair, void *arg);
/*
 * Calls pair for each event that wrote a place, with each event that read it, in the order in which places were met.
 * Leaves out what is impossible: that a lock is acquired from somebody who has not released it, and that the only read
 * of an event comes before the only write, in one thread.
 */
void rfs_reads_from_possible(const struct rfs_reads_from *reads, rfs_reads_from_pair *pair, void *arg);
void rfs_reads_from_release(struct rfs_reads_from *reads);

#endif
