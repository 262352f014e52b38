/* finding.h - collects the failures and deadlocks of all phases. Equal failures become one finding with a count. */
#ifndef RFS_FINDING_H
#define RFS_FINDING_H

#include "supervisor/campaign/failures/failure_key.h"
#include "supervisor/campaign/failures/saved_run.h"

struct rfs_campaign;

/* Equal failures or deadlocks: those with the same key. */
struct rfs_finding {
	struct rfs_failure_key key;
	const char *phase, *policy;
	uint64_t runs;
	struct rfs_saved_run *first; /* the run that the report shows; owned, unless borrowed */
	bool borrowed;
	struct rfs_spare_runs spare;
	bool looked_at; /* second_look.h */
	bool plain;	/* every baseline run fails this way: the schedule is not the cause */
};

/* Zeroed: no findings. */
struct rfs_findings {
	struct rfs_finding *list;
	size_t n;
};

/*
 * If the run ended in a failure or a deadlock, counts it in the finding to which it belongs. If the finding is new or
 * has few spare runs, moves *result into a saved run. True if the run was saved; its files must then stay.
 */
bool rfs_finding_note(struct rfs_campaign *c, const char *phase, const struct rfs_execution *execution,
		      struct rfs_run_result *result);
/*
 * Adds `runs` runs of a pair, which all failed in the same way, to a finding. kept: the first of these runs; the
 * finding borrows it from the pair.
 */
void rfs_finding_adopt(struct rfs_campaign *c, const char *phase, struct rfs_saved_run *kept, uint64_t runs);
/*
 * The number, from 1, of the finding to which a failed run belongs, or that rfs_finding_note() will make of it. 0: the
 * run did not fail. Findings keep their numbers.
 */
size_t rfs_finding_number(struct rfs_campaign *c, const struct rfs_run_result *result);
/* Replays the first run of each finding that was not replayed yet. */
void rfs_findings_replay(struct rfs_campaign *c);
/* True if the run failed in the way of the finding. */
bool rfs_finding_has(struct rfs_campaign *c, const struct rfs_finding *finding, const struct rfs_run_result *result);
/* True if rfs_finding_note() would save a run with this result. */
bool rfs_finding_keeps(struct rfs_campaign *c, const struct rfs_run_result *result);
void rfs_findings_release(struct rfs_findings *findings);

#endif
