/* barrier.c - barriers: the number of parties is read from memory; the model counts arrivals and rounds. */
#include "supervisor/model/barrier.h"

#include <stdlib.h>

#include "disasm/addr.h"
#include "supervisor/base/alloc.h"
#include "supervisor/model/layout.h"
#include "supervisor/model/memory.h"
#include "supervisor/model/sync.h"

bool rfs_barrier_is_private(const struct rfs_model_memory *memory, rfs_addr address)
{
	struct rfs_barrier_memory barrier;

	return rfs_model_read(memory, address, &barrier, sizeof(barrier)) && barrier.count != 0 && barrier.shared == 0;
}

static bool is_in_round(const struct rfs_wait *wait, uint64_t message)
{
	return wait->kind == RFS_WAIT_BARRIER && wait->message == message;
}

static struct rfs_barrier *barrier_find(const struct rfs_sync *sync, rfs_addr address)
{
	struct rfs_barrier *b;

	HASH_FIND(hh, sync->barriers, &address, sizeof(address), b);
	return b;
}

static struct rfs_barrier *barrier_get(struct rfs_sync *sync, rfs_addr address)
{
	struct rfs_barrier *b = barrier_find(sync, address);

	if (!b) {
		b = xcalloc(1, sizeof(*b));
		b->address = address;
		b->message = sync->next_message++;
		HASH_ADD(hh, sync->barriers, address, sizeof(address), b);
	}
	return b;
}

bool rfs_barrier_approach(struct rfs_sync *sync, const struct rfs_model_memory *memory, rfs_addr address, int thread)
{
	struct rfs_barrier *b = barrier_get(sync, address);
	struct rfs_barrier_memory barrier;
	size_t i = 0;

	while (i < b->n_users && b->users[i] != thread)
		i++;
	if (i == b->n_users) {
		b->users = xreallocarray(b->users, b->n_users + 1, sizeof(*b->users));
		b->users[b->n_users++] = thread;
	}
	return rfs_model_read(memory, address, &barrier, sizeof(barrier)) && b->n_users <= barrier.count;
}

struct rfs_arrival rfs_barrier_arrive(struct rfs_sync *sync, const struct rfs_model_memory *memory, rfs_addr address)
{
	struct rfs_barrier *b = barrier_get(sync, address);
	struct rfs_barrier_memory barrier;
	struct rfs_arrival arrival;

	if (!rfs_model_read(memory, address, &barrier, sizeof(barrier)))
		barrier.count = 1;
	arrival = (struct rfs_arrival){b->round, b->message, ++b->arrived >= barrier.count};
	if (arrival.last) {
		b->arrived = 0;
		b->round++;
		b->message = sync->next_message++;
	}
	return arrival;
}

uint64_t rfs_barrier_round(const struct rfs_sync *sync, rfs_addr address)
{
	const struct rfs_barrier *b = barrier_find(sync, address);

	return b ? b->round : 0;
}

bool rfs_barrier_message_is_last(const struct rfs_sync *sync, const struct rfs_sync_thread *thread, uint64_t message)
{
	for (size_t i = 0; i < sync->n_threads; i++) {
		const struct rfs_sync_thread *t = sync->threads[i];

		if (t != thread && (is_in_round(&t->wait, message) || is_in_round(&t->arrived, message)))
			return false;
	}
	return true;
}

void rfs_barriers_release(struct rfs_sync *sync)
{
	struct rfs_barrier *b, *next;

	HASH_ITER (hh, sync->barriers, b, next) {
		HASH_DEL(sync->barriers, b);
		free(b->users);
		free(b);
	}
}
