/*
 * triage.h - the reports of other tools (import/import.h) as pairs and deadlocks of a campaign, and their verdicts.
 *
 * A report of a race becomes one pair: all instructions that its two accesses may mean. A lock order becomes one or
 * more predicted deadlocks. Reports that mean the same code share them.
 */
#ifndef RFS_TRIAGE_H
#define RFS_TRIAGE_H

#include <stdbool.h>
#include <stdint.h>

struct rfs_campaign;
struct rfs_import;
struct rfs_report;
struct rfs_run_result;
struct rfs_triage;

/* Borrows the import. The caller frees the result with rfs_triage_free(). */
struct rfs_triage *rfs_triage_new(const struct rfs_import *import);
void rfs_triage_free(struct rfs_triage *triage); /* NULL is ignored */

/*
 * Whether some reports name only one of two accesses, or not where a lock is acquired that is held. A run with a
 * detector may show what is missing.
 */
bool rfs_triage_needs_prediction(const struct rfs_triage *triage);
/* Takes the races and deadlocks that a run predicted, and which statements it covered. */
void rfs_triage_learn(struct rfs_triage *triage, struct rfs_run_result *result);
/* Finds the code of all reports. Adds the deadlocks to the campaign, and the pairs of reports that name both accesses.
 */
void rfs_triage_match(struct rfs_campaign *c);
/* Makes a few runs with a detector, which show what becomes of many reports at once (survey.h). */
void rfs_triage_survey(struct rfs_campaign *c);
uint64_t rfs_triage_survey_runs(const struct rfs_campaign *c); /* how many */
/* Adds the pairs of the other reports, and notes what the survey says of each. */
void rfs_triage_pair(struct rfs_campaign *c);
/* How many reports of races and deadlocks have no code in this program; equal reports count once. */
unsigned long rfs_triage_unmatched(const struct rfs_triage *triage);
/* Adds what became of each report. Call it while report->pairs has the order of the campaign's pairs. */
void rfs_triage_report(const struct rfs_campaign *c, struct rfs_report *report);

#endif
