/* hb.c - vector clocks of threads and messages, which grow with the numbers of the threads. */
#include "policy/core/hb.h"

#include <stdlib.h>
#include <uthash.h>

#include "policy/core/alloc.h"

struct rfs_hb_message {
	uint64_t id;
	struct rfs_vclock clock; /* joined from all senders */
	UT_hash_handle hh;
};

static struct rfs_vclock *hb_clock_of(struct rfs_hb *hb, int thread)
{
	hb->clocks = rfs_policy_grow(hb->clocks, &hb->capacity, (size_t)thread + 1, sizeof(*hb->clocks));
	if (rfs_vclock_get(&hb->clocks[thread], thread) == 0)
		rfs_vclock_set(&hb->clocks[thread], thread, 1);
	return &hb->clocks[thread];
}

const struct rfs_vclock *rfs_hb_clock(struct rfs_hb *hb, int thread)
{
	return hb_clock_of(hb, thread);
}

void rfs_hb_tell(struct rfs_hb *hb, int thread, struct rfs_vclock *to)
{
	struct rfs_vclock *clock = hb_clock_of(hb, thread);

	rfs_vclock_join(to, clock);
	rfs_vclock_set(clock, thread, rfs_vclock_get(clock, thread) + 1);
}

void rfs_hb_learn(struct rfs_hb *hb, int thread, const struct rfs_vclock *from)
{
	rfs_vclock_join(hb_clock_of(hb, thread), from);
}

void rfs_hb_send(struct rfs_hb *hb, int thread, uint64_t id)
{
	struct rfs_hb_message *message;

	HASH_FIND(hh, hb->messages, &id, sizeof(id), message);
	if (!message) {
		message = rfs_policy_zalloc(1, sizeof(*message));
		message->id = id;
		HASH_ADD(hh, hb->messages, id, sizeof(message->id), message);
	}
	rfs_hb_tell(hb, thread, &message->clock);
}

void rfs_hb_receive(struct rfs_hb *hb, int thread, uint64_t id)
{
	struct rfs_hb_message *message;

	HASH_FIND(hh, hb->messages, &id, sizeof(id), message);
	if (message)
		rfs_hb_learn(hb, thread, &message->clock);
}

void rfs_hb_forget(struct rfs_hb *hb, uint64_t id)
{
	struct rfs_hb_message *message;

	HASH_FIND(hh, hb->messages, &id, sizeof(id), message);
	if (!message)
		return;
	HASH_DEL(hb->messages, message);
	rfs_vclock_release(&message->clock);
	free(message);
}

/* No message is sent at thread creation, but all that the creator did before happens before all that the new thread
 * does. */
void rfs_hb_thread(struct rfs_hb *hb, int thread, int creator)
{
	hb_clock_of(hb, thread);
	if (creator < 0)
		return;
	hb_clock_of(hb, creator); /* may move the array: take &hb->clocks[thread] only afterwards */
	rfs_hb_tell(hb, creator, &hb->clocks[thread]);
}

void rfs_hb_release(struct rfs_hb *hb)
{
	struct rfs_hb_message *message, *next;

	HASH_ITER (hh, hb->messages, message, next) {
		HASH_DEL(hb->messages, message);
		rfs_vclock_release(&message->clock);
		free(message);
	}
	for (size_t i = 0; i < hb->capacity; i++)
		rfs_vclock_release(&hb->clocks[i]);
	free(hb->clocks);
	*hb = (struct rfs_hb){0};
}
