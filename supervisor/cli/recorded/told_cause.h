/* told_cause.h - what the report of a campaign says about a recorded run. */
#ifndef RFS_TOLD_CAUSE_H
#define RFS_TOLD_CAUSE_H

#include <stddef.h>

/*
 * The finding of report.txt, in the folder above that of the record, that names the record. A simplified record belongs
 * to the finding of the recorded one. NULL: there is no such report or finding. Caller frees.
 */
char *rfs_told_cause(const char *record);
/*
 * Line i of a finding, without its indentation, and without the identity "  [...]" after the heading. NULL: there is
 * none. Caller frees.
 */
char *rfs_told_line(const char *cause, size_t i);

#endif
