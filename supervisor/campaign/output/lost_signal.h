/* lost_signal.h - the signal of a condition variable that a thread of a deadlock has missed. */
#ifndef RFS_CAMPAIGN_LOST_SIGNAL_H
#define RFS_CAMPAIGN_LOST_SIGNAL_H

#include <stddef.h>

struct rfs_trace_entry;

/*
 * The operation that was the last signal or broadcast of the condition variable on which the thread sleeps at the end
 * of the trace, if it came before the wait and no thread waited then; n if there is none.
 */
size_t rfs_lost_signal(const struct rfs_trace_entry *trace, size_t n, unsigned thread);

#endif
