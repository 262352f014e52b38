/* sample.h - a report with invented contents that has every key. */
#ifndef RFS_TEST_SAMPLE_H
#define RFS_TEST_SAMPLE_H

struct rfs_report;

/*
 * Fills *report but does not finish it. Caller releases it. `source` is the file in which one statement is, at line 2.
 */
void sample_report(struct rfs_report *report, const char *source);

#endif
