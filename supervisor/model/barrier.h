/* barrier.h - barriers: arrivals, rounds and their messages. */
#ifndef RFS_MODEL_BARRIER_H
#define RFS_MODEL_BARRIER_H

#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

#include "policy/operations.h"

struct rfs_model_memory;
struct rfs_sync;
struct rfs_sync_thread;

struct rfs_barrier {
	rfs_addr address; /* key */
	int *users;	  /* all threads that were ever about to arrive */
	size_t n_users;
	unsigned arrived;
	uint64_t round, message;
	UT_hash_handle hh;
};

struct rfs_arrival {
	uint64_t round, message; /* the round in which the thread arrived, and the message of that round */
	bool last;		 /* all threads have arrived: the round is over */
};

/* Whether the barrier in memory can be read, has been initialised, and is not shared between processes. */
bool rfs_barrier_is_private(const struct rfs_model_memory *memory, rfs_addr address);
/* Counts the arrival of a thread. Creates the barrier in the model if it is new. */
struct rfs_arrival rfs_barrier_arrive(struct rfs_sync *sync, const struct rfs_model_memory *memory, rfs_addr address);
/*
 * Notes that the thread is about to arrive. True if no more threads than one round needs have ever come to this
 * barrier. Then the order of arrivals decides only who is last, not who is in which round.
 */
bool rfs_barrier_approach(struct rfs_sync *sync, const struct rfs_model_memory *memory, rfs_addr address, int thread);
/* How many rounds are complete. A thread that arrived in round N may leave once this number is above N. */
uint64_t rfs_barrier_round(const struct rfs_sync *sync, rfs_addr address);
/*
 * True if this thread is the last: all other threads have left the round of this message, so the message is no longer
 * needed.
 */
bool rfs_barrier_message_is_last(const struct rfs_sync *sync, const struct rfs_sync_thread *thread, uint64_t message);
/* Frees all barriers of the model. */
void rfs_barriers_release(struct rfs_sync *sync);

#endif
