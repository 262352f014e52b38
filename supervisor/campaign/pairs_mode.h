/*
 * pairs_mode.h - --pairs: from the names in the file to pairs. Which modules there are is learnt from a run; a second
 * one, which stops at all statements, tells how long a run with these stops takes (phase 1 does both where it takes
 * place).
 */
#ifndef RFS_PAIRS_MODE_H
#define RFS_PAIRS_MODE_H

#include <stddef.h>

struct rfs_campaign;

/* Learns the modules and resolves the names. 0, or -errno and a line in why. */
int rfs_pairs_mode(struct rfs_campaign *c, char *why, size_t n) __attribute__((warn_unused_result));

#endif
