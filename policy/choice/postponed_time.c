/*
 * postponed_time.c - computes until when virtual time may pass, and gives the outside its moments of real time. The
 * policies decide who is postponed.
 */
#include "policy/choice/postponed_time.h"

#include "policy/choice/candidates.h"
#include "policy/policy.h"

/*
 * How often the outside gets a moment of real time in a run, and how long one is (OUTSIDE_SLICE_MS of run/idle.c). If
 * it does nothing, that is two seconds in all. Load drivers of tests mostly take less. A client that waits for the
 * postponed thread costs as much.
 */
#define MAX_OUTSIDE 400
#define OUTSIDE_NANOS UINT64_C(5000000)

/*
 * How much later than --sleep-race a thread is let go. A server often polls with a timeout of a second, the default of
 * --sleep-race, and may call poll(2) shortly after another thread was postponed.
 */
static uint64_t margin(const struct rfs_view *view)
{
	return view->sleep_race / 8;
}

uint64_t rfs_postponed_until(const struct rfs_view *view)
{
	const uint64_t left = RFS_ANY_TIME - 1 - view->time;

	if (view->sleep_race > left || view->sleep_race + margin(view) > left)
		return RFS_ANY_TIME - 1;
	return view->time + view->sleep_race + margin(view);
}

bool rfs_is_due_by(const struct rfs_thread_view *thread, uint64_t until)
{
	return rfs_candidate_class(thread) != RFS_CANDIDATE_SLEEPING || thread->due <= until;
}

bool rfs_postponed_let_outside_act(unsigned *n, const struct rfs_view *view, struct rfs_choice *out)
{
	if (!view->outside || *n >= MAX_OUTSIDE)
		return false;
	++*n;
	out->thread = RFS_OUTSIDE_ACTS;
	return true;
}

uint64_t rfs_postponed_paced(unsigned n, const struct rfs_view *view, uint64_t until)
{
	const uint64_t since = until - view->sleep_race - margin(view), paced = since + n * OUTSIDE_NANOS;

	if (!view->outside || n >= MAX_OUTSIDE || until >= RFS_ANY_TIME - 1)
		return until;
	return paced < until ? paced : until;
}
