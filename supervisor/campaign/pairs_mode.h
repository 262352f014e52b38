/*
 * pairs_mode.h - --pairs: resolves the names in the file to pairs.
 *
 * One run shows which modules there are. A second run stops at all statements, and shows how long a run with these
 * stops takes. In other modes, phase predict does both.
 */
#ifndef RFS_PAIRS_MODE_H
#define RFS_PAIRS_MODE_H

#include <stddef.h>

struct rfs_campaign;

/* Finds the modules and resolves the names. 0, or -errno and a line in why. */
int rfs_pairs_mode(struct rfs_campaign *c, char *why, size_t n) __attribute__((warn_unused_result));

#endif
