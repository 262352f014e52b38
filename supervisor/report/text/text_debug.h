/* text_debug.h - says how to get the debug information that a report lacks. */
#ifndef RFS_TEXT_DEBUG_H
#define RFS_TEXT_DEBUG_H

struct rfs_report;
struct rfs_report_groups;
struct rfs_text;

/*
 * For the modules without debug information whose code the findings and unclear races show, says how to get it.
 * Nothing if there are none.
 */
void rfs_text_put_debug_hints(struct rfs_text *text, const struct rfs_report *report,
			      const struct rfs_report_groups *groups);

#endif
