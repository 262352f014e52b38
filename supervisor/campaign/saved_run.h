/* saved_run.h - saves runs that are reported: everything needed to make one again, and how it ended. */
#ifndef RFS_SAVED_RUN_H
#define RFS_SAVED_RUN_H

#include "supervisor/pool/job.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/lessons.h"
#include "supervisor/record/run_result.h"

struct rfs_campaign;

/* The result of a replay. */
enum rfs_replayed {
	RFS_REPLAY_NOT_YET, /* the campaign ended before the replay, or the replay timed out */
	RFS_REPLAY_SAME,
	RFS_REPLAY_DIFFERENT,
};

struct rfs_saved_run {
	struct rfs_execution execution; /* points to the campaign's memory, and to the next two members */
	struct rfs_lessons lessons;
	struct rfs_blob blob;
	struct rfs_run_result result;
	enum rfs_replayed replayed;
	char *input;	  /* path of the recorded input of this run; NULL: none */
	char *difference; /* RFS_REPLAY_DIFFERENT: where the replay differed; NULL: not known */
};

/* Whether one seed gives one run; checked for the first finding of a campaign. */
struct rfs_self_check {
	uint64_t runs;	  /* how many were compared; 0: no finding yet */
	char *difference; /* NULL: they did not differ */
};
void rfs_self_check_release(struct rfs_self_check *check);

/* Moves the result of a run (*result is zeroed), and copies what its execution borrows. */
void rfs_saved_run_take(struct rfs_saved_run *kept, const struct rfs_execution *execution,
			struct rfs_run_result *result);
void rfs_saved_run_release(struct rfs_saved_run *kept);
/* Releases the run and removes its files, because it is not reported after all. */
void rfs_saved_run_discard(struct rfs_campaign *c, struct rfs_saved_run *kept);
/* Writes the record and outcome of a run that is not a finding. result is moved. True if its files stay. */
bool rfs_saved_run_save(struct rfs_campaign *c, const struct rfs_execution *execution, struct rfs_run_result *result);
/* Makes the run again, alone, and notes in kept->replayed whether it was the same. If so, writes its record and trace.
 */
void rfs_saved_run_replay(struct rfs_campaign *c, struct rfs_saved_run *kept);

#endif
