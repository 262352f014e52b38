/* text_finding.h - writes findings for people. */
#ifndef RFS_TEXT_FINDING_H
#define RFS_TEXT_FINDING_H

struct rfs_report;
struct rfs_report_deadlock;
struct rfs_report_failure;
struct rfs_report_group;
struct rfs_report_item;
struct rfs_report_pair;
struct rfs_text;

/* The heading of a finding. Caller frees. */
char *rfs_text_head(const struct rfs_report_item *item);
/* Writes one sentence on a line: what happens where. */
void rfs_text_put_sentence(struct rfs_text *text, const struct rfs_report_item *item, const struct rfs_report *report);
/* Why the program fails, as one sentence: of the violation that is behind a failure, if one is. Caller frees. */
char *rfs_text_cause(const struct rfs_report_item *item, const struct rfs_report *report);
/* Write all that is known of one. */
void rfs_text_put_pair(struct rfs_text *text, const struct rfs_report_pair *pair);
void rfs_text_put_deadlock(struct rfs_text *text, const struct rfs_report_deadlock *deadlock,
			   const struct rfs_report *report);
void rfs_text_put_failure(struct rfs_text *text, const struct rfs_report_failure *failure,
			  const struct rfs_report *report);
/* Writes a finding on one line, with its command. */
void rfs_text_put_briefly(struct rfs_text *text, const struct rfs_report_item *item);
/* Writes the first finding of a group, and the others on one line each. */
void rfs_text_put_group(struct rfs_text *text, const struct rfs_report_group *group, const struct rfs_report *report);

#endif
