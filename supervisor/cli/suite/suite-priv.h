/* suite-priv.h - the state of a suite, for the files of this folder. */
#ifndef RFS_SUITE_PRIV_H
#define RFS_SUITE_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "supervisor/base/error.h"
#include "supervisor/base/output.h"
#include "supervisor/cli/suite/cache.h"
#include "supervisor/cli/suite/slices.h"
#include "supervisor/cli/suite/suite.h"
#include "supervisor/cli/suite/suite_tests.h"
#include "supervisor/cli/suite/watch.h"
#include "supervisor/report/data/report_own.h"

/* What became of a test. */
enum rfs_job_outcome {
	RFS_OUTCOME_OPEN, /* not yet known */
	RFS_OUTCOME_OK,
	RFS_OUTCOME_ONE_THREAD, /* it passes, and there is nothing to explore */
	RFS_OUTCOME_FOUND,
	RFS_OUTCOME_FAILED, /* without rfsup, always */
	RFS_OUTCOME_FLAKY,  /* without rfsup, sometimes, and no campaign shows why */
	RFS_OUTCOME_SKIPPED,
	RFS_OUTCOME_DISABLED,
	RFS_OUTCOME_NOT_RUN,
	RFS_OUTCOME_UNCONTROLLED,
	RFS_OUTCOME_INCOMPLETE,
	RFS_N_OUTCOMES,
};

/* A test of the suite. */
struct rfs_suite_job {
	const struct rfs_suite_test *test;
	char *folder; /* of its campaign, relative to the output folder */
	enum rfs_job_outcome outcome;
	char *says; /* why, in one line; NULL: nothing to say */
	struct rfs_watch watch;
	unsigned plain_runs, plain_failures;	 /* without control */
	unsigned watched_runs, watched_failures; /* those of them that were not made by its campaign */
	bool watched, cached, shown;
	bool had_findings;    /* the cache says so */
	enum rfs_exit status; /* of its campaign */
	bool has_report;      /* there is a report.json in its folder */
	struct rfs_report_own own;
	struct rfs_turn turn;
};

/* Something that runs now. */
struct rfs_suite_slot {
	struct rfs_suite_job *job; /* NULL: free */
	bool campaign;		   /* otherwise it is watched */
	struct rfs_watching watching;
	pid_t pid;
	int errors; /* what the campaign wrote to standard error */
	double began, limit;
};

struct rfs_suite {
	const struct rfs_suite_runs *runs;
	struct rfs_suite_tests tests;
	struct rfs_suite_job *jobs; /* one for each test */
	struct rfs_output output;
	struct rfs_cache *cache; /* NULL: none */
	struct rfs_suite_slot *slots;
	unsigned n_slots;
	double end; /* when the budget is used up; 0: no budget */
	bool stops; /* no test is started any more */
};

/* In the process of a test: changes to its folder and environment. 0, or -errno and a line in why. */
int rfs_suite_enter(const struct rfs_suite_test *test, char *why, size_t n) __attribute__((warn_unused_result));

/* outcomes.c: what the results mean. */
/* limit: the time that the run had. */
void rfs_job_watched(struct rfs_suite_job *job, double limit);
void rfs_job_explored(struct rfs_suite *suite, struct rfs_suite_job *job, int status, const char *errors);
const char *rfs_outcome_word(enum rfs_job_outcome outcome);
enum rfs_exit rfs_outcome_exit(enum rfs_job_outcome outcome);
/* "suite.name", or the name if that is enough. Caller frees. */
char *rfs_job_name(const struct rfs_suite_job *job);

/* campaign.c: a slice of a campaign, in a separate process. */
int rfs_campaign_start(struct rfs_suite *suite, struct rfs_suite_slot *slot, double seconds)
	__attribute__((warn_unused_result));
/* The words of the command line that are options of each campaign. Caller frees with rfs_words_free(). */
char **rfs_suite_options(char *const *command);

/* suite_show.c: what the user sees. */
void rfs_suite_show(const struct rfs_suite *suite, struct rfs_suite_job *job, bool last);
void rfs_suite_progress(const struct rfs_suite *suite);
/* Prints the end, writes the files, and chooses the exit status. */
enum rfs_exit rfs_suite_end(struct rfs_suite *suite, struct rfs_report_own *own);

/* suite_files.c: the reports of the whole suite. False if one could not be written; each failure is one line. */
bool rfs_suite_write(const struct rfs_suite *suite);
/* Adds up to three records of findings in a report.json, as names in the folder of that report. */
void rfs_report_records(const char *report, const char *folder, char ***list);

#endif
