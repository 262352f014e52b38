/* order_difference.h - in which operations a run that failed differs from one that passed. */
#ifndef RFS_ORDER_DIFFERENCE_H
#define RFS_ORDER_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_schedule;
struct rfs_trace_entry;

/* The operations of a run. */
struct rfs_operations {
	const struct rfs_trace_entry *list;
	size_t n;
};

/* The number of the first operation that is not the same in both runs; that of the shorter run if there is none. */
size_t rfs_first_difference(const struct rfs_operations *a, const struct rfs_operations *b);
/*
 * Finds the first operation of the failed run that comes after a dependent operation of another thread, but comes
 * before it in the run that passed, or is not followed by it there. An operation is the same in both runs if it is the
 * same one of its thread, of the same kind, at the same place. False if there is none; otherwise the two operations are
 * failed->list[*earlier] and failed->list[*later].
 */
bool rfs_order_difference(const struct rfs_operations *failed, const struct rfs_operations *passed, size_t *earlier,
			  size_t *later);
/* Says how the order of operations of a run that failed differs from one that passed. Caller frees; NULL: it does not.
 */
char *rfs_order_difference_text(const struct rfs_schedule *failed, const struct rfs_schedule *passed);

#endif
