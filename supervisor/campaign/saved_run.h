/* saved_run.h - runs that are reported or kept: all that it takes to make one again, and how it ended. */
#ifndef RFS_SAVED_RUN_H
#define RFS_SAVED_RUN_H

#include "supervisor/pool/job.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/lessons.h"
#include "supervisor/record/run_result.h"

struct rfs_campaign;

/* Result of a replay. */
enum rfs_replayed {
	RFS_REPLAY_NOT_YET, /* the campaign ended before, or the replay timed out */
	RFS_REPLAY_SAME,
	RFS_REPLAY_DIFFERENT,
};

struct rfs_saved_run {
	struct rfs_execution execution; /* points to the campaign's memory, and to the next two */
	struct rfs_lessons lessons;
	struct rfs_blob blob;
	struct rfs_run_result result;
	enum rfs_replayed replayed;
	char *input;	  /* path of what came from outside in this run; NULL: nothing did */
	char *difference; /* RFS_REPLAY_DIFFERENT: where the replay went another way; NULL: not known */
};

/* Whether one seed is one run here: asked of the first finding of a campaign. */
struct rfs_self_check {
	uint64_t runs;	  /* that were compared; 0: nothing was found yet */
	char *difference; /* NULL: they were the same */
};
void rfs_self_check_release(struct rfs_self_check *check);

/* Moves a run's result away (*result is zeroed) and copies what its execution borrows. */
void rfs_saved_run_take(struct rfs_saved_run *kept, const struct rfs_execution *execution,
			struct rfs_run_result *result);
void rfs_saved_run_release(struct rfs_saved_run *kept);
/* Releases it and removes its files: it is not reported after all. */
void rfs_saved_run_discard(struct rfs_campaign *c, struct rfs_saved_run *kept);
/* Writes the record of a run that is no finding, with its outcome. result is moved. True: its files stay. */
bool rfs_saved_run_save(struct rfs_campaign *c, const struct rfs_execution *execution, struct rfs_run_result *result);
/* Does the run again, alone, and notes in kept->replayed whether it was the same; writes its record and trace then. */
void rfs_saved_run_replay(struct rfs_campaign *c, struct rfs_saved_run *kept);

#endif
