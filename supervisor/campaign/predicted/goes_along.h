/*
 * goes_along.h - whether a violation only goes along with a deadlock that is reported beside it.
 *
 * The program may end in a deadlock more often with the violation than without it, and yet the violation may be right:
 * it is a step on the way. A thread must read `go == 0` under the lock to wait for a signal, and only a thread that
 * waits can be forgotten by a signal that wakes one of two. Then the threads of the deadlock stand elsewhere, and not
 * each run with the violation fails.
 *
 * A violation is the cause if a thread of the deadlock stands at one of its calls, or waits for its object, such as a
 * wait that began after the signal. Otherwise it is the cause only if all runs with it fail. The value that a thread
 * reads before it waits for a signal in the same function is never the cause: it was read under the lock of the wait.
 * Nor is a violation the cause of a cycle, in which each thread waits for the lock of another one, or through a pipe or
 * a connection for what another one should read or write.
 */
#ifndef RFS_GOES_ALONG_H
#define RFS_GOES_ALONG_H

#include <stdbool.h>

struct rfs_campaign;
struct rfs_predicted_violation;
struct rfs_run_result;

/* Looks at a run with the violation: the thread that a signal has forgotten may be another one than in other runs. */
void rfs_goes_along_look(struct rfs_campaign *c, struct rfs_predicted_violation *violation,
			 const struct rfs_run_result *result);
/* Only of a violation that rfs_violation_is_harmful() calls harmful, after the replays. */
bool rfs_violation_goes_along(struct rfs_campaign *c, const struct rfs_predicted_violation *violation);

#endif
