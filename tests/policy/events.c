#include "tests/policy/events.h"

#include <criterion/criterion.h>

#include "policy/core/rng.h"
#include "policy/registry.h"

struct rfs_event events_access(int thread, unsigned flags, rfs_addr where, uint64_t size, rfs_site site)
{
	return (struct rfs_event){
		.kind = RFS_EVENT_ACCESS,
		.thread = thread,
		.op = {.kind = RFS_OP_ACCESS, .access = flags, .object = where, .size = size, .site = site},
	};
}

struct rfs_event events_object(enum rfs_event_kind event, int thread, enum rfs_op_kind kind, rfs_addr object,
			       uint64_t size)
{
	return (struct rfs_event){
		.kind = event, .thread = thread, .op = {.kind = kind, .object = object, .size = size}};
}

struct rfs_event events_message(enum rfs_event_kind event, int thread, uint64_t message)
{
	return (struct rfs_event){.kind = event, .thread = thread, .message = message};
}

struct rfs_event events_last(int thread, rfs_addr object, uint64_t size, rfs_addr count)
{
	struct rfs_event event = events_object(RFS_EVENT_LAST_DROP, thread, RFS_OP_NONE, object, size);

	event.op.object2 = count;
	return event;
}

struct rfs_event events_thread(int thread, int creator)
{
	return (struct rfs_event){.kind = RFS_EVENT_THREAD, .thread = thread, .op = {.peer = creator}};
}

enum { L = RFS_ACCESS_LEARNS, T = RFS_ACCESS_TELLS, K = RFS_ACCESS_TAKES };
enum { R = RFS_ACCESS_READ, W = RFS_ACCESS_WRITE, A = RFS_ACCESS_ATOMIC, F = RFS_ACCESS_FREE, G = RFS_ACCESS_RANGE };

struct rfs_event events_random(struct rfs_rng *rng, unsigned n_threads, bool drops)
{
	static const unsigned kinds[] = {R,
					 R,
					 W,
					 W,
					 R | W | A,
					 R | A,
					 W | A,
					 R | W | A | L,
					 R | W | A | T,
					 R | W | A | T | K,
					 R | W | A | K,
					 R | A | L,
					 W | G,
					 R | G,
					 F};
	struct rfs_event event = {.thread = rfs_rng_below(rng, n_threads)};
	rfs_addr base = rfs_rng_chance(rng, 1, 2) ? 4096 - 24 : 256;
	uint64_t small = 1 + rfs_rng_below(rng, 24), large = 1 + rfs_rng_below(rng, 6000);

	event.op.object = base + rfs_rng_below(rng, 40);
	event.op.size = rfs_rng_chance(rng, 1, 8) ? large : small;
	event.op.peer = -1;
	switch (rfs_rng_below(rng, drops ? 18 : 17)) {
	case 0:
	case 1:
	case 2:
		event.kind = RFS_EVENT_ACQUIRE;
		event.op.kind = rfs_rng_chance(rng, 1, 3) ? RFS_OP_RDLOCK : RFS_OP_LOCK;
		event.op.object = EVENTS_LOCKS + 4 * rfs_rng_below(rng, 4);
		break;
	case 3:
	case 4:
		event.kind = RFS_EVENT_RELEASE;
		event.op.object = EVENTS_LOCKS + 4 * rfs_rng_below(rng, 4);
		break;
	case 5:
		event.kind = RFS_EVENT_SEND;
		event.message = rfs_rng_below(rng, 6);
		break;
	case 6:
		event.kind = RFS_EVENT_RECEIVE;
		event.message = rfs_rng_below(rng, 6);
		break;
	case 8:
		event.kind = RFS_EVENT_FORGET;
		event.message = rfs_rng_below(rng, 6);
		break;
	case 17:
		event.kind = RFS_EVENT_LAST_DROP;
		event.op.object2 = event.op.object;
		event.op.object = base;
		event.op.size = 40 + large;
		break;
	case 7:
		event.kind = RFS_EVENT_RESET;
		if (rfs_rng_chance(rng, 1, 4)) {
			event.op.object = EVENTS_LOCKS + 4 * rfs_rng_below(rng, 4);
			event.op.size = 4;
		}
		break;
	default:
		event.kind = RFS_EVENT_ACCESS;
		event.op.access = kinds[rfs_rng_below(rng, sizeof(kinds) / sizeof(*kinds))];
		event.op.site = 1 + rfs_rng_below(rng, 8);
	}
	return event;
}

struct rfs_event events_drop(struct rfs_rng *rng, unsigned n_threads)
{
	enum { BLOCK = 64, SIZE = 40, COUNT = BLOCK + SIZE };
	static const unsigned kinds[] = {R, W, W, R | A};
	const int thread = (int)rfs_rng_below(rng, n_threads);
	const uint64_t what = rfs_rng_below(rng, 12);

	if (what < 5)
		return events_access(thread, kinds[rfs_rng_below(rng, 4)], BLOCK + 8 * rfs_rng_below(rng, 2), 8,
				     1 + rfs_rng_below(rng, 4));
	if (what == 5)
		return events_access(thread, F, BLOCK, SIZE, 5);
	if (what < 8)
		return events_access(thread, R | W | A, COUNT, 4, 6 + (rfs_site)thread);
	if (what == 8)
		return events_last(thread, BLOCK, SIZE, COUNT);
	if (what == 9 || what == 10)
		return events_message(what == 9 ? RFS_EVENT_SEND : RFS_EVENT_RECEIVE, thread, rfs_rng_below(rng, 2));
	return events_object(RFS_EVENT_RESET, thread, RFS_OP_NONE, BLOCK, SIZE);
}

void pairs_take(void *arg, const struct rfs_race_access *low, const struct rfs_race_access *high)
{
	struct pairs *pairs = arg;

	cr_assert_lt(pairs->n, (size_t)EVENTS_PAIRS);
	cr_assert_leq(low->site, high->site);
	pairs->low[pairs->n] = *low;
	pairs->high[pairs->n] = *high;
	pairs->low_lock[pairs->n] = low->n_locks ? low->locks[0] : 0;
	pairs->high_lock[pairs->n] = high->n_locks ? high->locks[0] : 0;
	pairs->n++;
}

/* The two accesses that are shown race with each other, not each with another one. */
static void take_sound(void *arg, const struct rfs_race_access *low, const struct rfs_race_access *high)
{
	cr_assert_neq(low->thread, high->thread, "sites %lx and %lx, thread %d", low->site, high->site, low->thread);
	cr_assert((low->access | high->access) & (RFS_ACCESS_WRITE | RFS_ACCESS_FREE));
	cr_assert_not(low->access & high->access & RFS_ACCESS_ATOMIC);
	cr_assert(low->address < high->address ? high->address - low->address < low->size
					       : low->address - high->address < high->size,
		  "%lx+%lu and %lx+%lu", low->address, low->size, high->address, high->size);
	pairs_take(arg, low, high);
}

bool pairs_have(const struct pairs *pairs, rfs_site a, rfs_site b)
{
	for (size_t i = 0; i < pairs->n; i++)
		if (pairs->low[i].site == (a < b ? a : b) && pairs->high[i].site == (a < b ? b : a))
			return true;
	return false;
}

void pairs_detect(const struct rfs_detector_ops *detector, const struct rfs_event *events, size_t n, struct pairs *out)
{
	void *state;

	out->n = 0;
	cr_assert_not_null(detector);
	cr_assert_eq(detector->init(&state, &(struct rfs_policy_args){.seed = 1}), 0);
	for (size_t i = 0; i < n; i++)
		detector->event(state, &events[i]);
	/* a reference knows sites only */
	detector->report(state, rfs_detector_find(detector->name) == detector ? take_sound : pairs_take, out);
	detector->fini(state);
}
