/* report_suppressed.h - the suppressions of a campaign in its report: what each has hidden, and which hid nothing. */
#ifndef RFS_REPORT_SUPPRESSED_H
#define RFS_REPORT_SUPPRESSED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rfs_report_identity;

struct rfs_report_suppression {
	char *file, *name; /* file NULL: an option of the command line, which `name` describes */
	unsigned line;
	bool own; /* of the file that is a part of rfsup */
	/* how many races, deadlocks (predicted or not), atomicity violations and misuses it hid */
	uint64_t races, deadlocks, violations, misuses;
};

struct rfs_report_suppressions {
	struct rfs_report_suppression *list; /* in the order of the files */
	size_t n;
	char *generated; /* --gen-suppressions: blocks that hide the findings; NULL: not asked for */
};

/* Adds a zeroed element and returns it, borrowed until the next addition. */
struct rfs_report_suppression *rfs_report_add_suppression(struct rfs_report_suppressions *suppressions);
void rfs_report_suppressions_release(struct rfs_report_suppressions *suppressions);
/* Whether a finding counts: it is neither known nor suppressed. */
bool rfs_identity_counts(const struct rfs_report_identity *identity);
/* How many findings and predictions it hid. */
uint64_t rfs_report_suppression_uses(const struct rfs_report_suppression *suppression);

#endif
