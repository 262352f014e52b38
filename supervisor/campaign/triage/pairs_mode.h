/*
 * pairs_mode.h - mode --pairs: finds the pairs and deadlocks that the file names.
 *
 * Two runs are made before phase confirm. The first one shows which modules the program has, so that names can be
 * resolved to sites. The second one parks threads at all statements of the pairs, and its steps and CPU time give the
 * limits (limits.h). In a campaign, phase predict does both.
 */
#ifndef RFS_PAIRS_MODE_H
#define RFS_PAIRS_MODE_H

#include <stddef.h>

struct rfs_campaign;

/* Makes both runs and fills the lists of pairs and deadlocks. 0, or -errno and a line in why. */
int rfs_pairs_mode(struct rfs_campaign *c, char *why, size_t n) __attribute__((warn_unused_result));

#endif
