/* sample.h - a report with made-up contents that uses every key. */
#ifndef RFS_TEST_SAMPLE_H
#define RFS_TEST_SAMPLE_H

struct rfs_report;

/* Fills *report, which is not finished yet. The caller releases it. source: a file; one statement is at its line 2. */
void sample_report(struct rfs_report *report, const char *source);

#endif
