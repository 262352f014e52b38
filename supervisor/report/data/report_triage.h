/* report_triage.h - what became of the reports of other tools, in a report. */
#ifndef RFS_REPORT_TRIAGE_H
#define RFS_REPORT_TRIAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From the worst to the least. */
enum rfs_triaged {
	RFS_TRIAGED_HARMFUL, /* the race is harmful, or a run ended in the deadlock */
	RFS_TRIAGED_REAL,
	RFS_TRIAGED_UNCLEAR,
	RFS_TRIAGED_NOT_CREATED,
	RFS_TRIAGED_SUPPRESSED,
	RFS_TRIAGED_NOT_TRIED, /* no run of it ended in time */
	RFS_TRIAGED_NOT_MATCHED,
	RFS_TRIAGED_OTHER, /* a report of neither a race nor a deadlock */
	RFS_TRIAGED_COUNT
};
/* The words for each of them, as in "not created". */
extern const char *const rfs_triaged_words[RFS_TRIAGED_COUNT];

struct rfs_report_triaged {
	const char *tool; /* static */
	char *title, *what;
	unsigned line;	/* in the file; 0: unknown */
	uint64_t count; /* this many equal reports */
	enum rfs_triaged result;
	const char *how;   /* how its code was found; static; NULL: it was not */
	char *why;	   /* NOT_MATCHED, NOT_CREATED: the reason, if it is known */
	uint64_t tried;	   /* this many runs tried it among others, and did not create it */
	uint64_t surveyed; /* this many runs with a detector say why it was not created; 0: none */
	char id[17];	   /* of the pair; "": none */
	uint64_t runs, created;
	uint64_t frames, frames_matched; /* frames of its stacks that are not of the tool; those found in the program */
};

struct rfs_report_triage {
	char *file;			 /* NULL: no reports were read */
	bool first;			 /* the text begins with it */
	char *note;			 /* what could not be read; NULL: all was read */
	struct rfs_report_triaged *list; /* in the order of the file */
	size_t n;
};

/* Adds a zeroed element and returns it, borrowed until the next addition. */
struct rfs_report_triaged *rfs_report_add_triaged(struct rfs_report_triage *triage);
void rfs_report_triage_release(struct rfs_report_triage *triage);

/* How many reports, and frames of their stacks, in all and of each result. */
struct rfs_triage_sums {
	uint64_t all, results[RFS_TRIAGED_COUNT], frames, frames_matched;
};
struct rfs_triage_sums rfs_report_triage_sums(const struct rfs_report_triage *triage);

#endif
