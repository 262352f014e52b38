#ifndef RFS_MODEL_SEMAPHORE_H
#define RFS_MODEL_SEMAPHORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

#include "policy/policy.h"

struct rfs_model_memory;
struct rfs_sync;

/* Messages of posts that no wait has taken yet, oldest first. */
struct rfs_semaphore {
	rfs_addr address; /* key */
	uint64_t *tokens;
	size_t n_tokens, initial; /* tokens that nobody posted come first */
	UT_hash_handle hh;
};

/* False if it cannot be read. */
bool rfs_semaphore_value(const struct rfs_model_memory *memory, rfs_addr address, unsigned *value);
/* The semaphore is used: the value that it has the first time is its initial one. Borrowed until it is destroyed. */
struct rfs_semaphore *rfs_semaphore_at(struct rfs_sync *sync, const struct rfs_model_memory *memory, rfs_addr address);
/* A new life of the memory: earlier tokens are void. */
void rfs_semaphore_init(struct rfs_sync *sync, const struct rfs_model_memory *memory, rfs_addr address, unsigned value);
/* Adds a token; returns its message. */
uint64_t rfs_semaphore_post(struct rfs_sync *sync, const struct rfs_model_memory *memory, rfs_addr address);
/* Takes a token, if the value in memory says that there is one. True if somebody posted it: *message. */
bool rfs_semaphore_take(struct rfs_sync *sync, const struct rfs_model_memory *memory, rfs_addr address,
			uint64_t *message);
void rfs_semaphore_destroy(struct rfs_sync *sync, rfs_addr address);
void rfs_semaphores_release(struct rfs_sync *sync);

#endif
