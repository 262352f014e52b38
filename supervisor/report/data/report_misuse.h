/* report_misuse.h - wrong uses of the thread library, as data of a report. */
#ifndef RFS_REPORT_MISUSE_H
#define RFS_REPORT_MISUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/record/misuse.h"
#include "supervisor/report/data/report_identity.h"
#include "supervisor/symbols/source_place.h"

struct rfs_report_misuse {
	struct rfs_report_identity identity;
	const char *kind;	       /* "unlock-other"; static */
	char *what;		       /* "unlocks the mutex, which another thread holds" */
	const char *error;	       /* "EBUSY", if the program ignores an error; static; NULL: none */
	int thread, other;	       /* other: -1: no other thread is involved */
	struct rfs_source_stack stack; /* empty: not known */
	/* what a thread did before: `other`, or `thread` if there is no other one; empty: not known */
	enum rfs_misuse_earlier earlier_is;
	struct rfs_source_stack earlier;
	uint64_t runs; /* runs that showed it */
	uint64_t seed; /* of the first one */
};

struct rfs_report_misuses {
	struct rfs_report_misuse *list;
	size_t n;
	bool findings; /* --misuse=error: they are findings */
};

/* Adds a zeroed element, borrowed until the next addition. */
struct rfs_report_misuse *rfs_report_misuse_add(struct rfs_report_misuses *misuses);
void rfs_report_misuses_release(struct rfs_report_misuses *misuses);

#endif
