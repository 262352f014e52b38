/* semaphore.h - semaphores: from which post a wait gets its token. */
#ifndef RFS_MODEL_SEMAPHORE_H
#define RFS_MODEL_SEMAPHORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

#include "policy/operations.h"

struct rfs_model_memory;
struct rfs_sync;

/* A semaphore. tokens has the messages of the posts that no wait has taken yet, oldest first. */
struct rfs_semaphore {
	rfs_addr address; /* key */
	uint64_t *tokens;
	size_t n_tokens, initial; /* initial: how many tokens of the initial value are left; these are taken first */
	UT_hash_handle hh;
};

/* Reads the value. False if it cannot be read. */
bool rfs_semaphore_value(const struct rfs_model_memory *memory, rfs_addr address, unsigned *value);
/*
 * The semaphore of the model at this address. If there is none, makes it, with the value in memory as the initial
 * value. Borrowed until rfs_semaphore_destroy().
 */
struct rfs_semaphore *rfs_semaphore_at(struct rfs_sync *sync, const struct rfs_model_memory *memory, rfs_addr address);
/* Called at sem_init(3): the tokens of an earlier semaphore at this address no longer count. */
void rfs_semaphore_init(struct rfs_sync *sync, const struct rfs_model_memory *memory, rfs_addr address, unsigned value);
/* Adds a token. Returns the token's message. */
uint64_t rfs_semaphore_post(struct rfs_sync *sync, const struct rfs_model_memory *memory, rfs_addr address);
/*
 * Takes a token if the value in memory says that there is one. True if the token comes from a post; *message is then
 * the message of that post.
 */
bool rfs_semaphore_take(struct rfs_sync *sync, const struct rfs_model_memory *memory, rfs_addr address,
			uint64_t *message);
/* The same, if a token was there. Memory may have changed since. */
bool rfs_semaphore_taken(struct rfs_sync *sync, const struct rfs_model_memory *memory, rfs_addr address,
			 uint64_t *message);
/* Whether the model has a semaphore at this address. */
bool rfs_semaphore_is_known(const struct rfs_sync *sync, rfs_addr address);
/* Forgets the semaphore, if it is known. */
void rfs_semaphore_destroy(struct rfs_sync *sync, rfs_addr address);
/* Frees all semaphores of the model. */
void rfs_semaphores_release(struct rfs_sync *sync);

#endif
