/*
 * hybrid.c - hybrid race detection: locksets and a happens-before relation without the edges of locks (O'Callahan &
 * Choi, Hybrid Dynamic Data Race Detection, PPoPP 2003, as summarised in Sen, PLDI 2008, section 2.2).
 *
 * Two accesses may race if they are of different threads, overlap, one writes, the threads hold no lock that protects
 * them from each other (lockset.h), and neither happens before the other. Happens-before is program order and the
 * messages: thread start and end, signal to wait, post to wait, barrier, once. Order by a lock's release and acquire is
 * accident, so it does not count, and pairs are found that did not meet in this run: the result is a prediction.
 */
#include "policy/builtin.h"

#include <stdlib.h>
#include <uthash.h>

#include "policy/alloc.h"
#include "policy/history.h"
#include "policy/lockset.h"
#include "policy/options.h"
#include "policy/vclock.h"

struct message {
	uint64_t id;
	struct rfs_vclock clock; /* of all that was sent */
	UT_hash_handle hh;
};

struct pair_key {
	rfs_site low, high;
};

struct pair {
	struct pair_key key;
	struct rfs_history_access low, high; /* the two accesses that showed it first */
	UT_hash_handle hh;
};

struct hybrid {
	struct rfs_vclock *clocks; /* by thread; its own time is > 0 once it is known */
	size_t capacity;
	struct message *messages; /* uthash */
	struct rfs_locksets *locksets;
	struct rfs_history *history;
	struct pair *pairs; /* uthash */
};

static void add_pair(void *arg, const struct rfs_history_access *earlier, const struct rfs_history_access *later)
{
	struct hybrid *hybrid = arg;
	bool in_order = earlier->site <= later->site;
	const struct rfs_history_access *low = in_order ? earlier : later, *high = in_order ? later : earlier;
	const struct pair_key key = {low->site, high->site};
	struct pair *pair;

	HASH_FIND(hh, hybrid->pairs, &key, sizeof(key), pair);
	if (pair)
		return;
	pair = rfs_policy_zalloc(1, sizeof(*pair));
	pair->key = key;
	pair->low = *low;
	pair->high = *high;
	HASH_ADD(hh, hybrid->pairs, key, sizeof(pair->key), pair);
}

static int hybrid_init(void **out, const struct rfs_policy_args *args)
{
	struct hybrid *hybrid;
	int err = rfs_policy_options_parse(args->options, NULL, 0);

	if (err)
		return err;
	hybrid = rfs_policy_zalloc(1, sizeof(*hybrid));
	hybrid->locksets = rfs_locksets_new();
	hybrid->history = rfs_history_new(hybrid->locksets, add_pair, hybrid);
	*out = hybrid;
	return 0;
}

static struct rfs_vclock *clock_of(struct hybrid *hybrid, int thread)
{
	hybrid->clocks =
		rfs_policy_grow(hybrid->clocks, &hybrid->capacity, (size_t)thread + 1, sizeof(*hybrid->clocks));
	if (rfs_vclock_get(&hybrid->clocks[thread], thread) == 0)
		rfs_vclock_set(&hybrid->clocks[thread], thread, 1);
	return &hybrid->clocks[thread];
}

/* The thread told what it knows; what it does from now on is not told: a new time begins. */
static void told(struct rfs_vclock *clock, int thread)
{
	rfs_vclock_set(clock, thread, rfs_vclock_get(clock, thread) + 1);
}

static void on_access(struct hybrid *hybrid, int thread, const struct rfs_op *op)
{
	const struct rfs_vclock *clock = clock_of(hybrid, thread);
	const struct rfs_history_access access = {
		.site = op->site,
		.address = op->object,
		.size = op->size,
		.time = rfs_vclock_get(clock, thread),
		.thread = thread,
		.locks = rfs_locksets_held(hybrid->locksets, thread),
		.access = op->access,
	};

	rfs_history_add(hybrid->history, &access, clock);
}

static void on_send(struct hybrid *hybrid, int thread, uint64_t id)
{
	struct rfs_vclock *clock = clock_of(hybrid, thread);
	struct message *message;

	HASH_FIND(hh, hybrid->messages, &id, sizeof(id), message);
	if (!message) {
		message = rfs_policy_zalloc(1, sizeof(*message));
		message->id = id;
		HASH_ADD(hh, hybrid->messages, id, sizeof(message->id), message);
	}
	rfs_vclock_join(&message->clock, clock);
	told(clock, thread);
}

static void on_receive(struct hybrid *hybrid, int thread, uint64_t id)
{
	struct message *message;

	HASH_FIND(hh, hybrid->messages, &id, sizeof(id), message);
	if (message)
		rfs_vclock_join(clock_of(hybrid, thread), &message->clock);
}

/* What the creator did before happens before all that the thread does, whether or not a message says so too. */
static void on_thread(struct hybrid *hybrid, int thread, int creator)
{
	clock_of(hybrid, thread);
	if (creator < 0)
		return;
	clock_of(hybrid, creator); /* may move the array: no pointer into it from before */
	rfs_vclock_join(&hybrid->clocks[thread], &hybrid->clocks[creator]);
	told(&hybrid->clocks[creator], creator);
}

static void on_reset(struct hybrid *hybrid, rfs_addr address, uint64_t size)
{
	if (size == 0)
		return;
	rfs_locksets_reset(hybrid->locksets, address, size);
	rfs_history_reset(hybrid->history, address, size);
}

static void hybrid_event(void *opaque, const struct rfs_event *event)
{
	struct hybrid *hybrid = opaque;

	switch (event->kind) {
	case RFS_EVENT_OP:
		break;
	case RFS_EVENT_ACCESS:
		on_access(hybrid, event->thread, &event->op);
		break;
	case RFS_EVENT_ACQUIRE:
		rfs_locksets_acquire(hybrid->locksets, event->thread, event->op.object,
				     event->op.kind == RFS_OP_RDLOCK);
		break;
	case RFS_EVENT_RELEASE:
		rfs_locksets_release(hybrid->locksets, event->thread, event->op.object);
		break;
	case RFS_EVENT_SEND:
		on_send(hybrid, event->thread, event->message);
		break;
	case RFS_EVENT_RECEIVE:
		on_receive(hybrid, event->thread, event->message);
		break;
	case RFS_EVENT_RESET:
		on_reset(hybrid, event->op.object, event->op.size);
		break;
	case RFS_EVENT_THREAD:
		on_thread(hybrid, event->thread, event->op.peer);
		break;
	}
}

static int compare_pairs(struct pair *a, struct pair *b)
{
	if (a->key.low != b->key.low)
		return a->key.low < b->key.low ? -1 : 1;
	return (a->key.high > b->key.high) - (a->key.high < b->key.high);
}

/* Caller frees the locks. */
static struct rfs_race_access describe(struct hybrid *hybrid, const struct rfs_history_access *access, rfs_addr **locks)
{
	struct rfs_race_access out = {
		.site = access->site,
		.thread = access->thread,
		.access = access->access,
		.address = access->address,
		.size = access->size,
	};

	out.locks = *locks = rfs_locksets_addresses(hybrid->locksets, access->locks, &out.n_locks);
	return out;
}

static void hybrid_report(void *opaque,
			  void (*emit)(void *arg, const struct rfs_race_access *a, const struct rfs_race_access *b),
			  void *arg)
{
	struct hybrid *hybrid = opaque;

	HASH_SORT(hybrid->pairs, compare_pairs);
	for (struct pair *pair = hybrid->pairs; pair; pair = pair->hh.next) {
		rfs_addr *low_locks, *high_locks;
		struct rfs_race_access low = describe(hybrid, &pair->low, &low_locks);
		struct rfs_race_access high = describe(hybrid, &pair->high, &high_locks);

		emit(arg, &low, &high);
		free(low_locks);
		free(high_locks);
	}
}

static void hybrid_fini(void *opaque)
{
	struct hybrid *hybrid = opaque;
	struct message *message, *next_message;
	struct pair *pair, *next_pair;

	HASH_ITER (hh, hybrid->messages, message, next_message) {
		HASH_DEL(hybrid->messages, message);
		rfs_vclock_release(&message->clock);
		free(message);
	}
	HASH_ITER (hh, hybrid->pairs, pair, next_pair) {
		HASH_DEL(hybrid->pairs, pair);
		free(pair);
	}
	for (size_t i = 0; i < hybrid->capacity; i++)
		rfs_vclock_release(&hybrid->clocks[i]);
	free(hybrid->clocks);
	rfs_history_free(hybrid->history);
	rfs_locksets_free(hybrid->locksets);
	free(hybrid);
}

const struct rfs_detector_ops rfs_detector_hybrid = {
	.abi = RFS_POLICY_ABI,
	.name = "hybrid",
	.summary = "predicts races from locksets and happens-before without locks (PPoPP 2003)",
	.init = hybrid_init,
	.event = hybrid_event,
	.report = hybrid_report,
	.fini = hybrid_fini,
};
