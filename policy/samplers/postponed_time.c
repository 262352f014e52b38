#include "policy/samplers/postponed_time.h"

#include "policy/samplers/candidates.h"

uint64_t rfs_postponed_until(const struct rfs_view *view)
{
	return view->sleep_race < RFS_ANY_TIME - view->time ? view->time + view->sleep_race : RFS_ANY_TIME - 1;
}

bool rfs_is_due_by(const struct rfs_thread_view *thread, uint64_t until)
{
	return rfs_candidate_class(thread) != RFS_CANDIDATE_SLEEPING || thread->due <= until;
}
