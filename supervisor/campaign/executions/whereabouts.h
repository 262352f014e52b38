/* whereabouts.h - says in words what the threads of a run wait for, and where they are. */
#ifndef RFS_WHEREABOUTS_H
#define RFS_WHEREABOUTS_H

#include <stdbool.h>

struct rfs_symbols;
struct rfs_waiter;
struct rfs_waiters;

/* What the thread waits for: "lock of m, held by thread 2", "the end of thread 1", "poll(2)". Caller frees. */
char *rfs_waits_text(struct rfs_symbols *symbols, const struct rfs_waiters *waiters, const struct rfs_waiter *waiter);
/* Whether that is an event, such as the end of a thread, and no operation that the thread makes. */
bool rfs_waits_for_event(const struct rfs_waiter *waiter);
/*
 * Where the threads are, in one line: "thread 0 in pthread_join() at main (x.c:12), thread 1 in poll(2) at serve
 * (x.c:30), thread 2 at compute (x.c:40)". The place is the innermost frame of the program. NULL: there is no thread.
 * Caller frees.
 */
char *rfs_whereabouts(struct rfs_symbols *symbols, const struct rfs_waiters *threads);

#endif
