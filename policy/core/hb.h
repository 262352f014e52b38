/*
 * hb.h - the happens-before relation of the threads of one run: a vector clock for each, and one for each message
 * (Lamport, CACM 1978; Mattern 1989). A detector asks whether an access of the past is ordered before one of now.
 *
 * A thread's own time is greater than 0 from its first event on, and advances whenever it has passed its knowledge to
 * another thread: what it does afterwards is not included in that.
 */
#ifndef RFS_HB_H
#define RFS_HB_H

#include "policy/core/vclock.h"
#include "policy/policy.h"

struct rfs_hb_message;

/* Zeroed memory is the relation without threads; rfs_hb_release() frees its memory. */
struct rfs_hb {
	struct rfs_vclock *clocks; /* by thread */
	size_t capacity;
	struct rfs_hb_message *messages; /* uthash */
};

/* The clock of the thread. Borrowed until a new thread appears. */
const struct rfs_vclock *rfs_hb_clock(struct rfs_hb *hb, int thread);

/* The events SEND, RECEIVE, FORGET and THREAD; creator -1: none. */
void rfs_hb_send(struct rfs_hb *hb, int thread, uint64_t message);
void rfs_hb_receive(struct rfs_hb *hb, int thread, uint64_t message);
void rfs_hb_forget(struct rfs_hb *hb, uint64_t message);
void rfs_hb_thread(struct rfs_hb *hb, int thread, int creator);

/* The same through a clock of the caller, such as that of a lock or an atomic word. */
void rfs_hb_tell(struct rfs_hb *hb, int thread, struct rfs_vclock *to);
void rfs_hb_learn(struct rfs_hb *hb, int thread, const struct rfs_vclock *from);

void rfs_hb_release(struct rfs_hb *hb);

#endif
