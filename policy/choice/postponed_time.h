/*
 * postponed_time.h - how much virtual time may pass while a policy postpones a thread.
 *
 * On a real machine, a thread that is delayed at a statement comes late by some milliseconds. So virtual time may pass
 * by --sleep-race while a thread is postponed, and no further: a watchdog of 100 s, or a timeout of a day, would only
 * expire because the policy holds the thread. Sleeps and timeouts that are due within --sleep-race may race with it.
 *
 * If a load driver or a client may still act, that only postponed threads can run says nothing: a server that waits for
 * its client has not come to an end. So the outside gets moments of real time, and virtual time passes only as fast.
 * Otherwise the sleeps of other threads would use up --sleep-race before the client has done anything.
 */
#ifndef RFS_POSTPONED_TIME_H
#define RFS_POSTPONED_TIME_H

#include <stdbool.h>
#include <stdint.h>

struct rfs_choice;
struct rfs_thread_view;
struct rfs_view;

/* No thread is postponed, so that any time may pass. */
#define RFS_ANY_TIME UINT64_MAX

/* The virtual time at which a thread that is postponed now must be let go. */
uint64_t rfs_postponed_until(const struct rfs_view *view);

/* Whether the thread could run now, or after so much time as may pass until this moment. */
bool rfs_is_due_by(const struct rfs_thread_view *thread, uint64_t until);
/*
 * Lets the outside act for a moment, if somebody may act. *n counts such moments of a run, from 0; their number is
 * bounded. True if *out is set. Until the bound is reached, sleeping threads may be drawn only if they are due by
 * rfs_postponed_paced().
 */
bool rfs_postponed_let_outside_act(unsigned *n, const struct rfs_view *view, struct rfs_choice *out);
uint64_t rfs_postponed_paced(unsigned n, const struct rfs_view *view, uint64_t until);

#endif
