/* schedule.h - a schedule that is written down: the policy "schedule" (schedule.c), and what is needed to write one. */
#ifndef RFS_POLICY_SCHEDULE_H
#define RFS_POLICY_SCHEDULE_H

#include "policy/policy.h"

#define RFS_POLICY_SCHEDULE "schedule"

/*
 * When thread is the current one (that the last choice named; 0 at first) and has executed `at` operations, choose
 * this. The blob of the policy is an array of them, in any order; it is part of the record format (rfsup-record(5)).
 */
struct rfs_directive {
	int32_t thread, choose;
	uint64_t at;
	int32_t outcome; /* enum rfs_outcome */
	int32_t waiter;	 /* -1: the longest waiting */
};

/* The choice without a directive. NULL if no thread of the view can be picked. Borrowed from the view. */
const struct rfs_thread_view *rfs_schedule_default(const struct rfs_view *view, int current);
enum rfs_outcome rfs_schedule_outcome(const struct rfs_thread_view *thread);

#endif
