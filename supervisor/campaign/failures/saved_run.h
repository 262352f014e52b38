/* saved_run.h - saves runs that are reported: how each one ended, and everything that is needed to make it again. */
#ifndef RFS_SAVED_RUN_H
#define RFS_SAVED_RUN_H

#include "supervisor/pool/job.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/lessons.h"
#include "supervisor/record/run_result.h"
#include "supervisor/report/data/report_run.h"

struct rfs_campaign;
struct rfs_choices;

struct rfs_saved_run {
	struct rfs_execution execution; /* borrows the campaign's memory; see rfs_saved_run_execution() */
	struct rfs_lessons lessons;
	struct rfs_blob blob;
	struct rfs_run_result result;
	enum rfs_replayed replayed;
	unsigned tries;	  /* how many replays were begun */
	bool left_out;	  /* there was no time for the replay */
	char *input;	  /* path of its recorded input; NULL: none */
	char *difference; /* RFS_REPLAY_ALIKE, DIFFERENT: the first difference, as text; NULL: not known */
	char *reason;	  /* RFS_REPLAY_ALIKE, DIFFERENT: why it is likely so, and what to do; NULL: not known */
};

/* More runs that failed in the way of a saved run. If its replay ends differently, they are replayed too. */
#define RFS_SPARE_RUNS 3
struct rfs_spare_runs {
	struct rfs_saved_run list[RFS_SPARE_RUNS];
	size_t n;
};

/* The check that the same seed gives the same run. Made for the first finding of a campaign. */
struct rfs_self_check {
	uint64_t runs;	  /* how many runs with the same seed were compared; 0: the check was not made */
	char *difference; /* what differed; NULL: nothing */
};
void rfs_self_check_release(struct rfs_self_check *check);

/* Saves a run: moves *result, which is zeroed, and copies the lessons and the blob that its execution borrows. */
void rfs_saved_run_take(struct rfs_saved_run *kept, const struct rfs_execution *execution,
			struct rfs_run_result *result);
/* Copies the execution to *out, with pointers to the lessons, blob and input that the saved run owns. */
void rfs_saved_run_execution(const struct rfs_campaign *c, const struct rfs_saved_run *kept, struct rfs_execution *out);
void rfs_saved_run_release(struct rfs_saved_run *kept);
/* Releases the run and removes its files. For a saved run that will not be reported. */
void rfs_saved_run_discard(struct rfs_campaign *c, struct rfs_saved_run *kept);
/* Makes the run again, to get its choices. *out: an execution for rfs_choices_follow(). False: there is no result. */
bool rfs_saved_run_choices(struct rfs_campaign *c, const struct rfs_saved_run *kept, struct rfs_execution *out,
			   struct rfs_choices *choices);
/*
 * Writes the record of a run that is not a finding (--keep-records), with its outcome. *result is moved. True if the
 * record was written: the run's files must stay. False for an uncontrolled run, which has no record.
 */
bool rfs_saved_run_save(struct rfs_campaign *c, const struct rfs_execution *execution, struct rfs_run_result *result);
/*
 * Makes the run again, and sets kept->replayed to say whether the replay had the same result. Writes the record of the
 * run, and the trace of the replay.
 */
void rfs_saved_run_replay(struct rfs_campaign *c, struct rfs_saved_run *kept);
/*
 * Replays the run. If its replay ends differently, replays the spare ones, and exchanges the run for the first one
 * whose replay fails too. The spare runs are then discarded.
 */
void rfs_saved_run_replay_any(struct rfs_campaign *c, struct rfs_saved_run *kept, struct rfs_spare_runs *spare);

#endif
