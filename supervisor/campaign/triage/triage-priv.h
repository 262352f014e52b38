/* triage-priv.h - what triage.c and triage_lone.c share: the reports of an import and what they mean here. */
#ifndef RFS_TRIAGE_PRIV_H
#define RFS_TRIAGE_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/campaign/predicted/cycles.h"
#include "supervisor/campaign/predicted/survey.h"
#include "supervisor/campaign/triage/match.h"
#include "supervisor/campaign/triage/triage.h"
#include "supervisor/record/run_result.h"

struct rfs_import_report;
struct rfs_pair;
struct rfs_triage_known;

/* A report with several places for its locks becomes at most this many deadlocks. */
#define CYCLES_MAX 8
/*
 * A report that was only matched by function becomes this many pairs of single instructions. RaceFuzzer would wait at
 * the first of many instructions, although the accesses of another one meet. With more of them, it has one pair.
 */
#define PAIRS_MAX 16

struct rfs_triage_entry {
	const struct rfs_import_report *report;
	const struct rfs_pair *pairs[PAIRS_MAX];
	size_t n_pairs;
	const struct rfs_predicted_cycle *cycles[CYCLES_MAX];
	size_t n_cycles;
	struct rfs_matched access[2];
	enum rfs_match_how how;
	char *why;		      /* it could not be matched; NULL: it is, or it is nothing that rfsup tests */
	struct rfs_surveyed surveyed; /* of the accesses of a race */
	size_t frames, frames_matched;
};

struct rfs_triage {
	const struct rfs_import *import;
	struct rfs_triage_entry *entries; /* one for each report of the import */
	struct rfs_triage_known *known;
	struct rfs_prediction races; /* of the predicting run; owned */
	struct rfs_cycle_list cycles;
	struct rfs_survey survey;
};

/* Whether these places have the one at this offset. */
bool rfs_matched_has(const struct rfs_matched *matched, const char *module, uint64_t offset);
/* Whether the report names one access only, and it is matched. */
bool rfs_triage_is_lone(const struct rfs_triage_entry *entry);
/* The accesses of a race, in the order of the report. Borrowed. */
struct rfs_statement_pair rfs_triage_statements(const struct rfs_triage_entry *entry);
/* Finds the other access of each such report: other reports name it, or the predicting runs have shown it. If neither
 * does, and no survey settles it, `why` of the entry says so. */
void rfs_triage_pair_lone(struct rfs_triage *triage);

#endif
