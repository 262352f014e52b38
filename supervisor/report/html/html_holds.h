/* html_holds.h - which thread holds which locks, operation by operation. */
#ifndef RFS_HTML_HOLDS_H
#define RFS_HTML_HOLDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rfs_html_lock;
struct rfs_html_names;
struct rfs_trace_entry;

/* How many locks are shown of those that one thread holds at once. */
#define RFS_HTML_SLOTS 8

struct rfs_html_hold {
	const struct rfs_html_lock *lock; /* NULL: the slot is free */
	unsigned count;
	uint64_t order;
};

struct rfs_html_lane {
	bool alive;
	struct rfs_html_hold slot[RFS_HTML_SLOTS];
	const struct rfs_html_lock
		*given_up; /* the mutex that the thread's current condition wait has released; NULL: none */
};

struct rfs_html_holds {
	struct rfs_html_names *names;
	const struct rfs_trace_entry *entries;
	size_t n, n_lanes;
	struct rfs_html_lane *lanes; /* of each thread */
	unsigned slots;		     /* how many slots the thread with most locks has used */
	uint64_t order;
	struct rfs_html_lock *locks;
};

/* Begins before the first operation. The caller frees the members `lanes` and `locks` (rfs_html_locks_free()). */
void rfs_html_holds_open(struct rfs_html_holds *holds, struct rfs_html_names *names,
			 const struct rfs_trace_entry *entries, size_t n);
/* Back to before the first operation. */
void rfs_html_holds_again(struct rfs_html_holds *holds);
/* Updates the locks that the thread of operation i holds. */
void rfs_html_holds_apply(struct rfs_html_holds *holds, size_t i);

#endif
