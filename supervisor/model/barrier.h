#ifndef RFS_MODEL_BARRIER_H
#define RFS_MODEL_BARRIER_H

#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

#include "policy/policy.h"

struct rfs_model_memory;
struct rfs_sync;
struct rfs_sync_thread;

struct rfs_barrier {
	rfs_addr address; /* key */
	unsigned arrived;
	uint64_t round, message;
	UT_hash_handle hh;
};

struct rfs_arrival {
	uint64_t round, message; /* that the thread arrived in */
	bool last;		 /* all have arrived: the round is over */
};

/* It can be read, has parties, and all of them are threads of one process. */
bool rfs_barrier_is_private(const struct rfs_model_memory *memory, rfs_addr address);
struct rfs_arrival rfs_barrier_arrive(struct rfs_sync *sync, const struct rfs_model_memory *memory, rfs_addr address);
/* The round after the last one that is complete. */
uint64_t rfs_barrier_round(const struct rfs_sync *sync, rfs_addr address);
/* Nobody but this thread still waits to leave the round of that message. */
bool rfs_barrier_message_is_last(const struct rfs_sync *sync, const struct rfs_sync_thread *thread, uint64_t message);
void rfs_barriers_release(struct rfs_sync *sync);

#endif
