/* cycle_names.h - predicted deadlocks as lines of a pairs file, and back. */
#ifndef RFS_CYCLE_NAMES_H
#define RFS_CYCLE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_campaign;
struct rfs_pairs;

/* Adds the predicted deadlocks of the campaign to the file, or only those that had no run. Inversions by one thread are
 * left out. */
void rfs_cycle_names_add(struct rfs_campaign *c, bool untried, struct rfs_pairs *file);
/* Finds the deadlocks that the file names, and adds them to the campaign. 0, or -errno and a line in why. */
int rfs_cycle_names_resolve(struct rfs_campaign *c, const struct rfs_pairs *file, char *why, size_t n)
	__attribute__((warn_unused_result));

/* Whether the thread holds a lock after a call of this function; or, for the wait of a condition, holds it again. */
bool rfs_acquires_lock(const char *callee);

#endif
