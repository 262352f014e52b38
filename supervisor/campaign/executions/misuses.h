/* misuses.h - the wrong uses of the thread library that the runs of a campaign showed, each once. */
#ifndef RFS_MISUSES_H
#define RFS_MISUSES_H

#include <stddef.h>
#include <stdint.h>

#include "supervisor/record/misuse.h"

struct rfs_report_misuses;
struct rfs_run_result;
struct rfs_symbols;

struct rfs_seen_misuse {
	struct rfs_misuse misuse;
	uint64_t runs, seed; /* seed: of the first run */
};

/* Zeroed: none. */
struct rfs_misuses {
	struct rfs_seen_misuse *list;
	size_t n;
};

/* Adds what a run showed. */
void rfs_misuses_note(struct rfs_misuses *misuses, uint64_t seed, const struct rfs_run_result *result);
/* Adds all of them to the report, with names and lines. */
void rfs_misuses_report(const struct rfs_misuses *misuses, struct rfs_symbols *symbols, struct rfs_report_misuses *out);
void rfs_misuses_release(struct rfs_misuses *misuses);

#endif
