/*
 * postponed_time.h - how much virtual time may pass while a policy postpones a thread.
 *
 * On a real machine, a thread that is delayed at a statement comes late by some milliseconds. So virtual time may pass
 * by --sleep-race while a thread is postponed, and no further: a watchdog of 100 s, or a timeout of a day, would only
 * expire because the policy holds the thread. Sleeps and timeouts that are due within --sleep-race may race with it.
 */
#ifndef RFS_POSTPONED_TIME_H
#define RFS_POSTPONED_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "policy/policy.h"

/* No thread is postponed, so that any time may pass. */
#define RFS_ANY_TIME UINT64_MAX

/* The virtual time at which a thread that is postponed now must be let go. */
uint64_t rfs_postponed_until(const struct rfs_view *view);

/* Whether the thread could run now, or after so much time as may pass until this moment. */
bool rfs_is_due_by(const struct rfs_thread_view *thread, uint64_t until);

#endif
