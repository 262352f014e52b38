/*
 * event_order.h - which of several ready descriptors a call reports first, as a choice (--events).
 *
 * Programs with an event loop depend on this order as others do on the order of threads. The kernel promises little:
 * the events of epoll_wait(2) come in any order. poll(2) and select(2) report what is ready at one moment, and a
 * descriptor may become ready a moment later; the next call then reports it. So when such a call returns with several
 * events, those of epoll_wait are shuffled, and of the others, the call may report some only. The choices come from the
 * seed, event_order of the spec and the number of the call. They depend on nothing else, so a replay makes the same
 * ones.
 *
 * Runs with a detector, and runs that test a prediction, are about the order of operations. There, and before main,
 * nothing changes. Recorded input is left as it is, too.
 */
#ifndef RFS_EVENT_ORDER_H
#define RFS_EVENT_ORDER_H

struct rfs_run;
struct rfs_thread;

/* The thread's poll, select or epoll_wait has returned this. */
void rfs_event_order_choose(struct rfs_run *run, struct rfs_thread *thread, long result);

#endif
