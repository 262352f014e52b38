/* finding.h - collects the failures and deadlocks of all phases, each kind once. */
#ifndef RFS_FINDING_H
#define RFS_FINDING_H

#include "supervisor/campaign/saved_run.h"
#include "supervisor/campaign/verdict.h"

struct rfs_campaign;

/* A deadlock or a failure, of any phase. */
struct rfs_finding {
	struct rfs_signature signature;
	char *where; /* deadlock: the sites of the waits; signal: the function at fault; otherwise NULL. Part of the
		      * identity
		      */
	const char *phase, *policy;
	uint64_t runs;
	struct rfs_saved_run *first; /* the run to show; owned, unless a pair owns it */
	bool borrowed;
	bool plain; /* every baseline run shows it */
};

/* Zeroed: no findings. */
struct rfs_findings {
	struct rfs_finding *list;
	size_t n;
};

/* If the run ended in a failure or a deadlock, counts it. If it is the first of its kind, saves it (result is moved).
 * True if it was saved: its files stay. */
bool rfs_finding_note(struct rfs_campaign *c, const char *phase, const struct rfs_execution *execution,
		      struct rfs_run_result *result);
/* The same for `runs` runs. A pair saves the first of them as long as the campaign lives. */
void rfs_finding_adopt(struct rfs_campaign *c, const char *phase, struct rfs_saved_run *kept, uint64_t runs);
/* True if the failure equals that of a harmful race, stack included; the race then reports it. Call this after the
 * verdicts. */
bool rfs_finding_explained(const struct rfs_campaign *c, const struct rfs_finding *finding);
/* Replays the findings that were not replayed yet. */
void rfs_findings_replay(struct rfs_campaign *c);
void rfs_findings_release(struct rfs_findings *findings);

#endif
