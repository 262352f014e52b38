/*
 * report_groups.h - puts the findings of a report into groups with one cause each, for people.
 *
 * Findings are in one group if they are races on one variable or block, races between the same two functions, or were
 * shown by the same run. A failure belongs to a use after free whose run failed with the same stack. The worst finding
 * of a group is its first one.
 */
#ifndef RFS_REPORT_GROUPS_H
#define RFS_REPORT_GROUPS_H

#include <stddef.h>

struct rfs_report;
struct rfs_report_identity;
struct rfs_report_pair;
struct rfs_report_deadlock;
struct rfs_report_failure;
struct rfs_report_statement;
struct rfs_source_place;

/* One finding; two of the pointers are NULL. They are borrowed from the report. */
struct rfs_report_item {
	struct rfs_report_pair *pair;
	struct rfs_report_deadlock *deadlock;
	struct rfs_report_failure *failure;
};

struct rfs_report_group {
	struct rfs_report_item *items;
	size_t n;
};

struct rfs_report_groups {
	struct rfs_report_group *list;
	size_t n;
};

/* Makes the groups of all findings. Call rfs_report_finish() before. Free with rfs_report_groups_release(). */
void rfs_report_groups_make(const struct rfs_report *report, struct rfs_report_groups *out);
/* Removes the groups of known findings. Returns how many there are. */
size_t rfs_report_groups_drop_known(struct rfs_report_groups *groups);
void rfs_report_groups_release(struct rfs_report_groups *groups);

/* A text that is equal for pairs of the same two functions and of the same variable or block. Caller frees. */
char *rfs_report_pair_cause(const struct rfs_report_pair *pair);
/* The place of the statement in the user's code; its own place if there is none. Borrowed. */
const struct rfs_source_place *rfs_report_own_place(const struct rfs_report_statement *statement);
/* What the finding shows of its run, its record, and its identity. Borrowed; the record may be NULL. */
struct rfs_report_shown *rfs_report_item_shown(const struct rfs_report_item *item);
const char *rfs_report_item_record(const struct rfs_report_item *item);
struct rfs_report_identity *rfs_report_item_identity(const struct rfs_report_item *item);

#endif
