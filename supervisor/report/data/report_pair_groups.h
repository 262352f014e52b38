/*
 * report_pair_groups.h - pairs of the same two functions and of the same variable or block, which probably have one
 * cause (rfs_report_pair_cause()). The pairs may have any verdict; groups of findings are in report_groups.h.
 */
#ifndef RFS_REPORT_PAIR_GROUPS_H
#define RFS_REPORT_PAIR_GROUPS_H

#include <stddef.h>

struct rfs_report_pair;

struct rfs_report_pair_group {
	/* The worst verdict first, which is the verdict of the group; of equal ones, the pair that was tried most. The
	 * others keep their order. Borrowed from the report. */
	const struct rfs_report_pair **pairs;
	size_t n;
};

struct rfs_report_pair_groups {
	struct rfs_report_pair_group *list; /* in the order of the first given pair of each */
	size_t n;
	const struct rfs_report_pair **pairs; /* of all groups; the groups point into it */
};

/* Makes the groups of these n pairs. Free with rfs_report_pair_groups_release(). */
void rfs_report_pair_groups_make(const struct rfs_report_pair *const *pairs, size_t n,
				 struct rfs_report_pair_groups *out);
void rfs_report_pair_groups_release(struct rfs_report_pair_groups *groups);

#endif
