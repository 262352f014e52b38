/* schedule.h - a fixed schedule: the policy "schedule" (schedule.c), and what the writer of a schedule needs. */
#ifndef RFS_POLICY_SCHEDULE_H
#define RFS_POLICY_SCHEDULE_H

#include "policy/policy.h"

#define RFS_POLICY_SCHEDULE "schedule"

/*
 * If thread is the current one and has executed `at` operations, choose thread `choose` with this outcome and waiter.
 * If choose is RFS_TIME_PASSES, virtual time passes instead, by no more than --sleep-race.
 * The current thread is the one that the last choice named, 0 at first. The blob of the policy is an array of
 * directives in any order. It is part of the record format, rfsup-record(5).
 */
struct rfs_directive {
	int32_t thread, choose;
	uint64_t at;
	int32_t outcome; /* enum rfs_outcome */
	int32_t waiter;	 /* -1: the thread that has waited longest */
};

/* The choice if no directive applies: the thread, and its outcome. NULL if no thread of the view can be picked.
 * Borrowed from the view. */
const struct rfs_thread_view *rfs_schedule_default(const struct rfs_view *view, int current);
enum rfs_outcome rfs_schedule_outcome(const struct rfs_thread_view *thread);

#endif
