/*
 * prove.h - phase prove: executes all schedules that differ (policy/dpor/dpor_tree.h), in rounds with more and more
 * preemptions, the last one without a bound.
 *
 * Executions are planned in batches of a fixed size, so the result does not depend on --jobs. If an execution teaches a
 * lesson, operations change, and the round begins again.
 */
#ifndef RFS_PROVE_H
#define RFS_PROVE_H

#include "supervisor/report/data/report_proof.h"

struct rfs_campaign;

/* How much of a budget all other phases may use together, if a proof follows. */
double rfs_prove_others(double budget);
void rfs_prove(struct rfs_campaign *c);

#endif
