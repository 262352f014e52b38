/* events.h - reports to the policy and the detector what the target did. */
#ifndef RFS_EVENTS_H
#define RFS_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "disasm/addr.h"
#include "policy/operations.h"
#include "supervisor/state/core/message.h"

struct rfs_run;
struct rfs_thread;
struct rfs_op;
struct rfs_event;

/*
 * Call this for each executed visible operation. Counts the step, adds the operation to the trace and the partial
 * order, and informs policy and detector.
 */
void rfs_executed(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_op *op, enum rfs_outcome outcome);
/* The same if a delayed store of the thread becomes visible. The detector has learnt of it when it was executed. */
void rfs_flushed(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_op *op);
/* Reports an event to the detector, if there is one. */
void rfs_emit(struct rfs_run *run, const struct rfs_event *event);
/* Reports an event that has only a thread, a kind and a message. */
void rfs_emit_kind(struct rfs_run *run, struct rfs_thread *thread, enum rfs_event_kind kind, uint64_t message);
/* Reports that this memory holds new objects from now on: earlier accesses to it no longer count. */
void rfs_emit_reset(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address, uint64_t size);
/* Whether a detector does not get plain accesses at this moment, because of the window of the spec. */
bool rfs_window_is_closed(const struct rfs_run *run);
/* Counts an access of a watched statement that has stopped the thread, or that became an event. */
void rfs_count_access(struct rfs_run *run);
/*
 * Adds or removes one hold of the lock. Reports an event only for the thread's first hold, and when its last hold
 * ends. The thread has acquired the lock with its operation `next`. how: enum rfs_lock_how, except for
 * RFS_LOCK_SHARED.
 */
void rfs_acquired(struct rfs_run *run, struct rfs_thread *thread, rfs_addr lock, enum rfs_op_kind kind, unsigned how);
/* The same for a word lock. site: the atomic instruction; the thread may have executed others since. */
void rfs_word_acquired(struct rfs_run *run, struct rfs_thread *thread, rfs_addr word, rfs_site site,
		       enum rfs_op_kind kind);
void rfs_released(struct rfs_run *run, struct rfs_thread *thread, rfs_addr lock);

#endif
