/* report_cycle.h - predicted deadlocks in a report, created or not, and inversions by one thread. */
#ifndef RFS_REPORT_CYCLE_H
#define RFS_REPORT_CYCLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/symbols/source_place.h"

/* A lock, and where a thread acquires it. */
struct rfs_report_lock {
	char *name;			/* NULL: no lock */
	struct rfs_source_place *place; /* owned; NULL: no lock */
	struct rfs_source_stack stack;	/* of a thread that acquires it; without frames: not known */
};

/* One thread of a cycle. It wants the lock that the next one holds. */
struct rfs_report_cycle_part {
	bool has_thread; /* a run predicted it; otherwise the user named it */
	int thread;
	struct rfs_report_lock held, wanted;
};

struct rfs_report_cycle {
	bool one_thread;	/* an inversion: one thread acquired two locks in both orders */
	uint64_t planned, runs; /* runs < planned: incomplete, or created early */
	uint64_t timeouts;
	uint64_t created;  /* runs that ended in this deadlock */
	size_t suppressed; /* as in struct rfs_report_identity; it then got no runs */
	struct rfs_report_cycle_part *parts;
	size_t n_parts;
};

struct rfs_report_cycles {
	struct rfs_report_cycle *list;
	size_t n;
	bool cut; /* a run predicted more than it could search */
};

/* Adds a zeroed element and returns it, borrowed until the next addition. */
struct rfs_report_cycle *rfs_report_add_cycle(struct rfs_report_cycles *cycles, size_t n_parts);
void rfs_report_cycles_release(struct rfs_report_cycles *cycles);

/* How many deadlocks of different threads were predicted, and how many of them a run created. */
uint64_t rfs_report_cycles_predicted(const struct rfs_report_cycles *cycles);
uint64_t rfs_report_cycles_created(const struct rfs_report_cycles *cycles);
/* Whether there are some that no run created, and that are not suppressed. */
bool rfs_report_cycles_unconfirmed(const struct rfs_report_cycles *cycles);
uint64_t rfs_report_cycles_inversions(const struct rfs_report_cycles *cycles);

#endif
