/* text_violation.h - writes predicted atomicity and order violations for people. */
#ifndef RFS_TEXT_VIOLATION_H
#define RFS_TEXT_VIOLATION_H

#include <stdbool.h>

/* Begins the line of a harmful violation that has the identity of the finding that it makes happen. */
#define RFS_TEXT_ITS_FAILURE "    its failure: "

struct rfs_report;
struct rfs_report_deadlock;
struct rfs_report_violation;
struct rfs_text;

/* Writes the harmful violations, unless their failures are known. True if there was something to write. */
bool rfs_text_put_harmful_violations(struct rfs_text *text, const struct rfs_report *report);
/* Writes the others. */
void rfs_text_put_violations(struct rfs_text *text, const struct rfs_report *report);
/* "HARMFUL ATOMICITY VIOLATION R-w-W on balance". Caller frees. */
char *rfs_text_violation_name(const struct rfs_report_violation *violation);
/* Says in one line what the threads do, and how often the program fails. */
void rfs_text_put_violation_sentence(struct rfs_text *text, const struct rfs_report_violation *violation);
/* The violations that go along with the deadlock. */
void rfs_text_put_along(struct rfs_text *text, const struct rfs_report *report,
			const struct rfs_report_deadlock *deadlock);
/* Writes it below this name. */
void rfs_text_put_violation(struct rfs_text *text, const struct rfs_report_violation *violation, const char *colour);
void rfs_text_put_violation_counts(struct rfs_text *text, const struct rfs_report *report);

#endif
