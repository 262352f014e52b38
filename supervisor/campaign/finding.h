/* finding.h - failures and deadlocks of all phases, each kind once. */
#ifndef RFS_FINDING_H
#define RFS_FINDING_H

#include "supervisor/campaign/saved_run.h"
#include "supervisor/campaign/verdict.h"

struct rfs_campaign;

/* A deadlock or a failure, in whatever phase. */
struct rfs_finding {
	struct rfs_signature signature;
	char *where; /* deadlock: the wait sites; signal: the function at fault; NULL else. Part of the identity */
	const char *phase, *policy;
	uint64_t runs;
	struct rfs_saved_run *first; /* the one to show; owned unless a pair keeps it */
	bool borrowed;
	bool plain; /* every plain run shows it */
};

/* Zero: none. */
struct rfs_findings {
	struct rfs_finding *list;
	size_t n;
};

/*
 * Looks at a run: where it ended in a failure or a deadlock, counts it, and keeps it (result is moved) where it is the
 * first of its kind. True where it was kept: the files stay.
 */
bool rfs_finding_note(struct rfs_campaign *c, const char *phase, const struct rfs_execution *execution,
		      struct rfs_run_result *result);
/* The same for `runs` runs whose first one a pair keeps, for as long as the campaign lives. */
void rfs_finding_adopt(struct rfs_campaign *c, const char *phase, struct rfs_saved_run *kept, uint64_t runs);
/*
 * True where the failure is the one of a harmful race, down to the stack, and so is told there. Known once the
 * verdicts are.
 */
bool rfs_finding_explained(const struct rfs_campaign *c, const struct rfs_finding *finding);
/* Replays those that were not yet. */
void rfs_findings_replay(struct rfs_campaign *c);
void rfs_findings_release(struct rfs_findings *findings);

#endif
