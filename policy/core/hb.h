/*
 * hb.h - the happens-before relation of one run (Lamport, CACM 1978; Mattern 1989). Each thread and each message has a
 * vector clock. A detector uses it to decide whether an earlier access happens before a current one.
 *
 * A thread's own time is above 0 from its first event on. It advances each time the thread has passed its clock on to
 * another one. So what the thread does afterwards is not ordered by that clock.
 */
#ifndef RFS_HB_H
#define RFS_HB_H

#include "policy/core/vclock.h"

struct rfs_hb_message;

/* Zeroed memory is a relation without threads. rfs_hb_release() frees the memory inside. */
struct rfs_hb {
	struct rfs_vclock *clocks; /* by thread number */
	size_t capacity;
	struct rfs_hb_message *messages; /* uthash */
};

/* The clock of the thread. The pointer is valid until a new thread appears. */
const struct rfs_vclock *rfs_hb_clock(struct rfs_hb *hb, int thread);

/* For the events RFS_EVENT_SEND, _RECEIVE, _FORGET and _THREAD. creator is -1 for the first thread. */
void rfs_hb_send(struct rfs_hb *hb, int thread, uint64_t message);
void rfs_hb_receive(struct rfs_hb *hb, int thread, uint64_t message);
void rfs_hb_forget(struct rfs_hb *hb, uint64_t message);
void rfs_hb_thread(struct rfs_hb *hb, int thread, int creator);

/* Send and receive through a clock that the caller keeps, such as that of a lock or an atomic word. tell joins the
 * thread's clock into *to; learn joins *from into the thread's clock. */
void rfs_hb_tell(struct rfs_hb *hb, int thread, struct rfs_vclock *to);
void rfs_hb_learn(struct rfs_hb *hb, int thread, const struct rfs_vclock *from);

void rfs_hb_release(struct rfs_hb *hb);

#endif
