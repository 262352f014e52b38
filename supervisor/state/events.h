#ifndef RFS_EVENTS_H
#define RFS_EVENTS_H

#include <stdint.h>

#include "disasm/addr.h"
#include "policy/policy.h"

struct rfs_run;
struct rfs_thread;
struct rfs_op;
struct rfs_event;

/* Messages that detectors are told of: kind and number make one. */
enum rfs_message_kind {
	RFS_MESSAGE_START = 1, /* of this thread */
	RFS_MESSAGE_SIGNAL,    /* of a condition variable; numbered */
	RFS_MESSAGE_POST,      /* of a semaphore; numbered */
	RFS_MESSAGE_BARRIER,   /* one round; numbered */
	RFS_MESSAGE_ONCE,      /* address of the pthread_once_t, or of the guard */
	RFS_MESSAGE_EXIT,      /* of this thread */
	RFS_MESSAGE_CHANNEL,   /* channel.h */
	RFS_MESSAGE_KILL,      /* signal number, and thread + 1 << 8; 0: to the process */
};

static inline uint64_t rfs_message(enum rfs_message_kind kind, uint64_t number)
{
	return (uint64_t)kind << 56 | (number & ((1ull << 56) - 1));
}

/* Accounts for a visible operation: step count, trace, policy and detector. */
void rfs_executed(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_op *op, enum rfs_outcome outcome);
void rfs_emit(struct rfs_run *run, const struct rfs_event *event);
void rfs_emit_kind(struct rfs_run *run, struct rfs_thread *thread, enum rfs_event_kind kind, uint64_t message);
void rfs_emit_reset(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address, uint64_t size);
void rfs_acquired(struct rfs_run *run, struct rfs_thread *thread, rfs_addr lock, enum rfs_op_kind kind);
void rfs_released(struct rfs_run *run, struct rfs_thread *thread, rfs_addr lock);

#endif
