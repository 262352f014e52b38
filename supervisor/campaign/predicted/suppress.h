/*
 * suppress.h - which pairs, predicted deadlocks and findings of a campaign the files of --suppressions hide.
 *
 * A prediction knows its statements, but not their callers. If that is enough for a suppression to fit, the prediction
 * is not tested: it gets no runs. Otherwise it is tested, and the stacks of the created race decide whether the report
 * shows it. A suppressed race never hides a failure: the report shows a harmful race, and it shows each crash and
 * hang.
 */
#ifndef RFS_SUPPRESS_H
#define RFS_SUPPRESS_H

#include <stddef.h>

struct rfs_campaign;
struct rfs_pair;
struct rfs_predicted_cycle;
struct rfs_predicted_violation;
struct rfs_report;
struct rfs_report_pair;

/* Before the first run of a prediction: the number, from 1, of the suppression that hides it. 0: none does. */
size_t rfs_suppress_pair(struct rfs_campaign *c, const struct rfs_pair *pair);
size_t rfs_suppress_cycle(struct rfs_campaign *c, const struct rfs_predicted_cycle *cycle);
size_t rfs_suppress_violation(struct rfs_campaign *c, const struct rfs_predicted_violation *violation);

/* Marks the findings in the report that are hidden, and adds the suppressions with their counts. Call it when the
 * report has all findings, in the order of the campaign. */
void rfs_suppress_report(struct rfs_campaign *c, struct rfs_report *report);

/* suppress_text.c: blocks that hide what the report shows, for --gen-suppressions. Caller frees. */
char *rfs_suppress_generate(struct rfs_campaign *c, const struct rfs_report *report);

#endif
