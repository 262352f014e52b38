/*
 * semaphore.c - semaphores: the value is read from memory. The model adds from which post each token comes.
 *
 * Tokens are taken in the order in which they were posted. The tokens of the initial value come first and have no
 * message.
 */
#include "supervisor/model/semaphore.h"

#include <stdlib.h>
#include <string.h>

#include "disasm/addr.h"
#include "supervisor/base/alloc.h"
#include "supervisor/model/memory.h"
#include "supervisor/model/sync.h"

/* sem_t on 64 bits has the value in the low half of its first word. */
bool rfs_semaphore_value(const struct rfs_model_memory *memory, rfs_addr address, unsigned *value)
{
	return rfs_model_read(memory, address, value, sizeof(*value));
}

struct rfs_semaphore *rfs_semaphore_at(struct rfs_sync *sync, const struct rfs_model_memory *memory, rfs_addr address)
{
	struct rfs_semaphore *s;
	unsigned value = 0;

	HASH_FIND(hh, sync->semaphores, &address, sizeof(address), s);
	if (s)
		return s;
	s = xcalloc(1, sizeof(*s));
	s->address = address;
	if (rfs_semaphore_value(memory, address, &value))
		s->initial = value;
	HASH_ADD(hh, sync->semaphores, address, sizeof(address), s);
	return s;
}

void rfs_semaphore_init(struct rfs_sync *sync, const struct rfs_model_memory *memory, rfs_addr address, unsigned value)
{
	struct rfs_semaphore *s = rfs_semaphore_at(sync, memory, address);

	s->n_tokens = 0;
	s->initial = value;
}

uint64_t rfs_semaphore_post(struct rfs_sync *sync, const struct rfs_model_memory *memory, rfs_addr address)
{
	struct rfs_semaphore *s = rfs_semaphore_at(sync, memory, address);

	s->tokens = xreallocarray(s->tokens, s->n_tokens + 1, sizeof(*s->tokens));
	s->tokens[s->n_tokens] = sync->next_message++;
	return s->tokens[s->n_tokens++];
}

bool rfs_semaphore_is_known(const struct rfs_sync *sync, rfs_addr address)
{
	struct rfs_semaphore *s;

	HASH_FIND(hh, sync->semaphores, &address, sizeof(address), s);
	return s != NULL;
}

bool rfs_semaphore_take(struct rfs_sync *sync, const struct rfs_model_memory *memory, rfs_addr address,
			uint64_t *message)
{
	unsigned value = 0;

	return rfs_semaphore_value(memory, address, &value) && value > 0 &&
	       rfs_semaphore_taken(sync, memory, address, message);
}

bool rfs_semaphore_taken(struct rfs_sync *sync, const struct rfs_model_memory *memory, rfs_addr address,
			 uint64_t *message)
{
	struct rfs_semaphore *s = rfs_semaphore_at(sync, memory, address);

	if (s->initial > 0) {
		s->initial--;
		return false;
	}
	if (s->n_tokens == 0)
		return false;
	*message = s->tokens[0];
	memmove(s->tokens, s->tokens + 1, --s->n_tokens * sizeof(*s->tokens));
	return true;
}

static void semaphore_drop(struct rfs_sync *sync, struct rfs_semaphore *semaphore)
{
	HASH_DEL(sync->semaphores, semaphore);
	free(semaphore->tokens);
	free(semaphore);
}

void rfs_semaphore_destroy(struct rfs_sync *sync, rfs_addr address)
{
	struct rfs_semaphore *s;

	HASH_FIND(hh, sync->semaphores, &address, sizeof(address), s);
	if (s)
		semaphore_drop(sync, s);
}

void rfs_semaphores_release(struct rfs_sync *sync)
{
	struct rfs_semaphore *s, *next;

	HASH_ITER (hh, sync->semaphores, s, next)
		semaphore_drop(sync, s);
}
