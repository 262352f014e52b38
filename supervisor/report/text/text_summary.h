/* text_summary.h - writes the counts of a report for people, as its end. */
#ifndef RFS_TEXT_SUMMARY_H
#define RFS_TEXT_SUMMARY_H

struct rfs_report;
struct rfs_text;

void rfs_text_put_summary(struct rfs_text *text, const struct rfs_report *report);

#endif
