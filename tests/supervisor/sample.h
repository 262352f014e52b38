/* sample.h - a report with made-up contents that uses every key. */
#ifndef RFS_TEST_SAMPLE_H
#define RFS_TEST_SAMPLE_H

struct rfs_report;

/* Fills *report (the caller releases it), not finished yet. source: a file whose line 2 one statement points at. */
void sample_report(struct rfs_report *report, const char *source);

#endif
