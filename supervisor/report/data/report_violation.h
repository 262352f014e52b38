/* report_violation.h - predicted atomicity and order violations in a report: harmful, created or not. */
#ifndef RFS_REPORT_VIOLATION_H
#define RFS_REPORT_VIOLATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/report/data/report_orders.h"
#include "supervisor/symbols/source_place.h"

/* One of the three accesses. */
struct rfs_report;
struct rfs_report_identity;
struct rfs_report_deadlock;

struct rfs_report_violation_access {
	struct rfs_source_place place; /* in the user's code, if there is any */
	int thread;		       /* -1: not known, because the user named the violation */
	unsigned access;	       /* enum rfs_access_flags; 0: not known, or it is a call */
	const char *verb;	       /* what a call does, such as "destroys"; NULL: it is an access */
	bool ends;		       /* it is the end of the thread; place: its start routine */
};

struct rfs_report_violation {
	bool order;	     /* an order violation; `second` is where the lock is acquired, if its place has a file */
	const char *pattern; /* "R-w-W", "use after free"; NULL: not known */
	struct rfs_report_violation_access first, remote, second;
	char *variable; /* NULL: not known */
	/* Of two variables: this is the other one, which second and also access; also is the remote thread's. */
	bool is_double;
	char *beside; /* NULL: not known */
	struct rfs_report_violation_access also;
	char *lock; /* under which each of them is; NULL: they are atomic accesses, or it is not known */
	uint64_t planned, runs, timeouts;
	uint64_t created, failed;	 /* runs in which it took place; of these, runs that failed */
	char *detail;			 /* of the failure: "SIGABRT", or what it is; NULL: none */
	struct rfs_report_orders orders; /* [0]: runs with the violation, [1]: without it */
	size_t suppressed;		 /* as in struct rfs_report_identity; it then got no runs */
	bool harmful;			 /* the program fails because of it */
	bool goes_along;		 /* with the deadlock that `finding` names, which has another cause */
	/* Its failure: of a finding with this number, from 1, or of the pair with this number, which reports that
	 * finding. 0: none. */
	size_t finding, pair;
	/* rfs_report_violations_join(): the number, from 1, of the violation that this one only shows in another way.
	 * 0: none. */
	size_t shown_by;
	char failure[17]; /* rfs_report_finish(): the id of what reports its failure; "": nothing does */
};

struct rfs_report_violations {
	struct rfs_report_violation *list;
	size_t n;
	bool cut; /* there may be more */
};

/* Adds a zeroed element and returns it, borrowed until the next addition. */
struct rfs_report_violation *rfs_report_add_violation(struct rfs_report_violations *violations);
void rfs_report_violations_release(struct rfs_report_violations *violations);
/*
 * Finds out which violations are other signs of a violation on two variables, or the same one by other instructions of
 * its lines. After all were added.
 */
void rfs_report_violations_join(struct rfs_report_violations *violations);
/* How many of one kind are not suppressed. harmful: without those that another one shows. */
struct rfs_violation_counts {
	size_t n;
	uint64_t created, harmful;
};
/* Counts the order violations, or those of atomicity. */
struct rfs_violation_counts rfs_report_violations_count(const struct rfs_report_violations *violations, bool order);
/* Whether there are violations that are not harmful. */
bool rfs_report_violations_unconfirmed(const struct rfs_report_violations *violations);
/* Whether the violation only goes along with this deadlock. */
bool rfs_report_goes_along(const struct rfs_report_violation *violation, const struct rfs_report_deadlock *deadlock);
/* What reports the failure of the violation. Borrowed; NULL: nothing does. */
const struct rfs_report_identity *rfs_report_of_violation(const struct rfs_report *report,
							  const struct rfs_report_violation *violation);

#endif
