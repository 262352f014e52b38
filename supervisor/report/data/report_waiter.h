/* report_waiter.h - a thread of a deadlock or hang in a report, and lists of strings. */
#ifndef RFS_REPORT_WAITER_H
#define RFS_REPORT_WAITER_H

#include <stdbool.h>
#include <stddef.h>

#include "supervisor/symbols/source_place.h"

struct rfs_report_strings {
	char **items;
	size_t n_items;
};

/* Where a thread acquired a lock that another thread of the deadlock waits for. */
struct rfs_report_acquisition {
	char *lock;
	struct rfs_source_stack stack;
};

struct rfs_report_waiter {
	int thread;
	unsigned process; /* of the thread, if the program has forked it; otherwise 0 */
	int handler;	  /* the thread is the handler of this signal; 0: it is none */
	bool outside;	  /* it waits for threads of a cycle, and is none of them; not in the JSON */
	char *sent;	  /* the last signal of what it waits for, if it came when no thread waited; NULL: it did not */
	bool behind;	  /* it waits for another thread of a deadlock that is no cycle; not in the JSON */
	/* waits_for is the same in each run: the signal of a condition variable that is no block of memory; not in the
	 * JSON */
	bool by_name;
	bool event; /* waits_for is an event, such as the end of a thread, and no operation; not in the JSON */
	char *waits_for;
	struct rfs_report_strings holds;
	struct rfs_report_acquisition *acquired;
	size_t n_acquired;
	struct rfs_source_stack stack;
};

/* Takes over `lock`. */
struct rfs_report_acquisition *rfs_report_add_acquisition(struct rfs_report_waiter *waiter, char *lock);
/* The string is copied. */
void rfs_report_add_string(struct rfs_report_strings *strings, const char *string);

#endif
