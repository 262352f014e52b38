/* incomplete.h - reasons why a campaign is incomplete, which a phase gives when it meets them (reasons.h). */
#ifndef RFS_INCOMPLETE_H
#define RFS_INCOMPLETE_H

#include <stddef.h>

/* Zeroed: none. */
struct rfs_incomplete {
	char **reasons;
	size_t n;
};

/*
 * Keeps a copy of the reason, once. A reason says what was not done or not seen, why, and what to do:
 * "the client of --drive failed at once in 3 of 40 runs (status 7): test its command alone".
 */
void rfs_incomplete_give(struct rfs_incomplete *incomplete, const char *reason);
void rfs_incomplete_release(struct rfs_incomplete *incomplete);

#endif
