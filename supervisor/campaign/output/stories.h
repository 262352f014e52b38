/*
 * stories.h - adds to the findings what makes them easy to understand: the run with few switches, as lines, and a page
 * with a picture.
 */
#ifndef RFS_STORIES_H
#define RFS_STORIES_H

struct rfs_campaign;
struct rfs_saved_run;
struct rfs_report;
struct rfs_report_shown;
struct rfs_run_result;

/*
 * Makes the saved run again with fewer and fewer choices (minimise.h), in a limited number of runs. Fills the members
 * of *out about the story. Writes the record of the result beside that of the run, and fills *simple with the result:
 * the caller frees it with rfs_run_result_release(). Does nothing if the run could not be repeated, or if the
 * campaign's time is over.
 */
void rfs_story_of(struct rfs_campaign *c, const struct rfs_saved_run *kept, struct rfs_report_shown *out,
		  struct rfs_run_result *simple);
/*
 * Calls rfs_story_of() for the first finding of each group of a finished report, and writes the page of each finding.
 * Call when all phases are done.
 */
void rfs_stories_add(struct rfs_campaign *c, struct rfs_report *report);

#endif
