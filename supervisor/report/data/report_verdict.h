/* report_verdict.h - the verdicts of pairs, and what reports say of them. */
#ifndef RFS_REPORT_VERDICT_H
#define RFS_REPORT_VERDICT_H

#include <stdbool.h>

/* In ascending order of severity. */
enum rfs_verdict {
	RFS_VERDICT_UNCONFIRMED,
	RFS_VERDICT_UNORDERED,
	RFS_VERDICT_UNCLEAR,
	RFS_VERDICT_REAL,
	RFS_VERDICT_HARMFUL,
	RFS_VERDICT_COUNT
};

enum rfs_tone { RFS_TONE_DIM, RFS_TONE_QUIET, RFS_TONE_WARNING, RFS_TONE_ALARM };

/* What reports say of a verdict. */
struct rfs_verdict_words {
	const char *name;    /* "harmful": in the JSON, and in the line that is printed when the pair is finished */
	const char *heading; /* the heading of the pair, for example "HARMFUL race"; " on " and the variable follow */
	const char *one, *many; /* in the summary, after a number: "1 real race", "2 real races" */
	const char *remark;	/* a line below the counts; NULL: none */
	enum rfs_tone tone;
	bool finding;
};

/* Static data. */
const struct rfs_verdict_words *rfs_verdict_words(enum rfs_verdict verdict);

#endif
