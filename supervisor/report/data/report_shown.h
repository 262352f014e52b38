/* report_shown.h - what a report shows of the run of a finding. */
#ifndef RFS_REPORT_SHOWN_H
#define RFS_REPORT_SHOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/symbols/source_place.h"

/* What the same schedule does without its faults. */
enum rfs_report_without { RFS_WITHOUT_UNKNOWN, RFS_WITHOUT_PASSES, RFS_WITHOUT_FAILS };

/*
 * The run that a finding shows, as far as people need it to understand the finding. A member that is NULL or empty is
 * not known or does not apply.
 */
struct rfs_report_shown {
	char *output;		       /* the last lines that the program wrote, without a newline at the end */
	struct rfs_source_stack stack; /* of the thread that failed */
	char *differs;		       /* in which operations it first differs from a run that passed */
	char *story;		       /* the run with fewest switches, as lines; see rfs_schedule_text_write() */
	char *simple;		       /* the record of that run */
	char *no_story; /* why there is no story, although the run was replayed; NULL: there is one, or none was looked
			   for */
	uint64_t story_switches;
	uint64_t story_runs; /* how many runs were made to find it */
	bool story_cut;	     /* more runs may find a shorter one */
	bool needs_delays;   /* with the same choices, but without delayed stores, the program does not fail */
	char *block;	     /* of the guard heap, at which it failed: "use after free of a block of ..."; NULL: none */
	char *faults;	     /* what --faults let happen, as lines: "malloc at x.c:12 returned NULL" */
	enum rfs_report_without without_faults;
	char *page; /* the HTML page */
};

#endif
