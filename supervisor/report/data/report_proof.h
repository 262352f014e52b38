/* report_proof.h - what a systematic exploration (--prove) has covered, as data of a report. */
#ifndef RFS_REPORT_PROOF_H
#define RFS_REPORT_PROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/record/run_spec.h"

/* All schedules with at most this many preemptions. */
struct rfs_report_proof_round {
	bool bounded;
	uint32_t bound;	     /* if bounded: the most preemptions of a schedule */
	bool ended;	     /* every one of these schedules, or an equivalent one, was executed */
	uint64_t executions; /* complete ones */
	uint64_t redundant;  /* executions that turned out to repeat others */
	uint64_t failures;
	uint64_t left; /* executions that are known to be missing; there may be more */
};

#define RFS_REPORT_PROOF_ROUNDS 4

struct rfs_report_proof {
	bool made;
	enum rfs_points points;
	uint64_t places; /* in the code, at which several threads could run */
	struct rfs_report_proof_round rounds[RFS_REPORT_PROOF_ROUNDS]; /* ascending; the last one may be unbounded */
	size_t n;
	bool all; /* the last round covers all schedules, whatever their preemptions */
	/* Why nothing is proved although the rounds ended. */
	uint64_t strayed;      /* executions that did not repeat the operations of earlier ones */
	uint64_t inconclusive; /* executions that timed out, were too long or could not be controlled */
	/* Why what the rounds have executed is no proof. */
	uint64_t shares_calls; /* executions in which system calls of two threads may affect each other */
	uint64_t repeated;     /* executions that left out rounds of loops that wait for another thread */
	/* Runs of other policies failed although no execution did: so there are orders that were not explored. */
	bool failed_elsewhere;
	bool torn;	/* an access of many bytes raced, which was executed in at most two parts */
	uint64_t timed; /* executions in which a sleep or timeout ended only when no other thread could run */
};

/* The last round that has ended. NULL: none. */
const struct rfs_report_proof_round *rfs_report_proof_covered(const struct rfs_report_proof *proof);
/* Why the exploration is incomplete, or NULL if it is not. Static. */
const char *rfs_report_proof_incomplete(const struct rfs_report_proof *proof);

#endif
