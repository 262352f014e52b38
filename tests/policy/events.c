#include "tests/policy/events.h"

#include <criterion/criterion.h>

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
