/*
 * dpor_path.h - the operations of one execution in their order, with happens-before, and the races between them
 * (Abdulla, Aronis, Jonsson & Sagonas, POPL 2014, section 3).
 *
 * A race is two dependent operations of two threads, the first of which does not happen before the operation that the
 * second thread executed last. The paper counts a race only if no third operation is between the two in
 * happens-before. Here a third one may be what the second thread waited for, such as the unlock between two locks.
 */
#ifndef RFS_DPOR_PATH_H
#define RFS_DPOR_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/core/dependence.h"
#include "policy/dpor/dpor_wake.h"
#include "policy/operations.h"

struct rfs_dpor_event {
	int thread;
	bool on_all;	  /* depends on all others */
	bool never_waits; /* a memory access, which no other operation can disable */
	bool timed_out;
	enum rfs_op_kind kind;
	rfs_addr object, object2;
	int waits_for;	       /* a JOIN that has waited: for this thread; others: -1 */
	uint32_t number;       /* in its thread, from 1 */
	const uint32_t *clock; /* by thread: how many of its operations happen before this one, itself included */
	size_t n_clock;
	size_t before; /* index of the event that the thread has executed before, plus 1; 0: none */
	struct rfs_touch touches[RFS_TOUCHES_MAX];
	size_t n_touches;
};

/* Zeroed memory is an empty path. */
struct rfs_dpor_path {
	struct rfs_dpor_event *events;
	size_t n, capacity;
};

/* Adds an operation without a clock. The event is valid until the next one is added. */
struct rfs_dpor_event *rfs_dpor_path_add(struct rfs_dpor_path *path, const struct rfs_dpor_next *next);
/* Computes the clock of the last event. The caller frees the clock; the path borrows it. */
uint32_t *rfs_dpor_path_clock(struct rfs_dpor_path *path);
void rfs_dpor_path_cut(struct rfs_dpor_path *path, size_t n);
void rfs_dpor_path_release(struct rfs_dpor_path *path);

/* Whether events i and j, i < j, are a race. */
bool rfs_dpor_path_races(const struct rfs_dpor_path *path, size_t i, size_t j);
/* Whether event i happens before event j, i < j. */
bool rfs_dpor_path_before(const struct rfs_dpor_path *path, size_t i, size_t j);

/*
 * Whether something between i and j, which does not happen after i, is needed for j or may enable it: an operation of
 * its thread, or one that it depends on.
 */
bool rfs_dpor_path_needs(const struct rfs_dpor_path *path, size_t i, size_t j);

/*
 * Whether event j waits for event i, i < j, in each schedule. It takes a lock that the thread of i held until then, or
 * i begins the thread of j, or is an operation of the thread that j joins.
 */
bool rfs_dpor_path_enables(const struct rfs_dpor_path *path, size_t i, size_t j);

#endif
