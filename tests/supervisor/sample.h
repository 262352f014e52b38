/* sample.h - a report with made-up contents that uses every key. */
#ifndef RFS_TEST_SAMPLE_H
#define RFS_TEST_SAMPLE_H

#include "supervisor/report/report.h"

/* Fills *report (the caller releases it), not finished yet. source: a file whose line 2 one statement points at. */
void sample_report(struct rfs_report *report, const char *source);

#endif
