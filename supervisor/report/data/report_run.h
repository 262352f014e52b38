/* report_run.h - the run that the report shows of a deadlock or a failure, and how its replay ended. */
#ifndef RFS_REPORT_RUN_H
#define RFS_REPORT_RUN_H

#include <stdint.h>

#include "supervisor/report/data/report_shown.h"

/* The result of a replay. */
enum rfs_replayed {
	RFS_REPLAY_NOT_YET, /* the campaign ended before the replay, or the replay timed out */
	RFS_REPLAY_SAME,
	RFS_REPLAY_ALIKE,     /* it failed in the same way and at the same place, but executed other operations */
	RFS_REPLAY_DIFFERENT, /* it ended differently, so the failure or deadlock is not a finding */
};

struct rfs_report_run {
	char *phase, *policy;
	enum rfs_replayed replayed;
	char *difference; /* ALIKE, DIFFERENT: the first operation that differed; NULL: not known */
	char *reason;	  /* ALIKE, DIFFERENT: why it is likely so, and what to do; NULL: not known */
	uint64_t seed;
	char *record; /* path of the record, for --replay; NULL: none */
	struct rfs_report_shown shown;
};

#endif
