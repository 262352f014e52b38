/* text_proof.c - writes what --prove has covered, as lines of the summary. */
#include "supervisor/report/text/text_proof.h"

#include <inttypes.h>

#include "supervisor/base/text/plural.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/text/text_put.h"

/* What the claim rests on, if that is more than the executions. */
static void put_assumptions(struct rfs_text *text, const struct rfs_report_proof *proof)
{
	if (proof->shares_calls)
		rfs_text_put(text,
			     "            no proof: calls of two threads may affect each other, through files, "
			     "descriptors, pipes, mappings, signals, the C library or the process; their order was "
			     "not explored\n");
	if (proof->failed_elsewhere)
		rfs_text_put(text,
			     "            no proof: other runs failed, so there are orders that were not explored\n");
	if (proof->repeated)
		rfs_text_put(text, "            no proof: loops that wait for another thread were repeated only if "
				   "something that they read had changed\n");
	if (proof->torn)
		rfs_text_put(text,
			     "            no proof: an access of many bytes raced, as by memcpy or strlen; it was "
			     "executed in at most two parts\n");
	if (proof->timed)
		rfs_text_put(text,
			     "            no proof: long sleeps and timeouts ended only when no other thread could "
			     "run; see --sleep-race\n");
}

static void put_bound(struct rfs_text *text, const struct rfs_report_proof_round *round)
{
	if (!round->bounded)
		rfs_text_put(text, "any number of preemptions");
	else if (round->bound == 0)
		rfs_text_put(text, "no preemption");
	else
		rfs_text_put(text, "at most %" PRIu32 " preemption%s", round->bound, rfs_plural(round->bound));
}

/* "all schedules with at most 2 preemptions at these 31 points" */
static void put_claim(struct rfs_text *text, const struct rfs_report_proof *proof,
		      const struct rfs_report_proof_round *round)
{
	rfs_text_put(text, "all schedules");
	if (!proof->all || round != &proof->rounds[proof->n - 1]) {
		rfs_text_put(text, " with ");
		put_bound(text, round);
	}
	rfs_text_put(text, " at %s %" PRIu64 " point%s", proof->places == 1 ? "this" : "these", proof->places,
		     rfs_plural(proof->places));
}

static void put_rounds(struct rfs_text *text, const struct rfs_report_proof *proof)
{
	for (size_t i = 0; i < proof->n; i++) {
		const struct rfs_report_proof_round *round = &proof->rounds[i];

		rfs_text_put(text, "            ");
		put_bound(text, round);
		rfs_text_put(text, ": %" PRIu64 " execution%s", round->executions, rfs_plural(round->executions));
		if (round->redundant)
			rfs_text_put(text, " and %" PRIu64 " redundant one%s", round->redundant,
				     rfs_plural(round->redundant));
		if (round->failures)
			rfs_text_put(text, ", %" PRIu64 " failed", round->failures);
		if (!round->ended)
			rfs_text_put(text, "; at least %" PRIu64 " %s missing", round->left,
				     round->left == 1 ? "is" : "are");
		rfs_text_put(text, "\n");
	}
}

void rfs_text_put_proof(struct rfs_text *text, const struct rfs_report *report)
{
	const struct rfs_report_proof *proof = &report->proof;
	const struct rfs_report_proof_round *covered = rfs_report_proof_covered(proof);
	const bool sound = !proof->strayed && !proof->inconclusive;
	const bool assumes =
		proof->shares_calls || proof->repeated || proof->torn || proof->timed || proof->failed_elsewhere;

	if (!proof->made)
		return;
	if (covered && sound) {
		const uint64_t executions = covered->executions + covered->redundant;

		rfs_text_put(text, covered->failures || assumes ? "executed    " : "proved      ");
		put_claim(text, proof, covered);
		rfs_text_put(text, covered->failures ? ": "
				   : assumes	     ? ": no failure in "
						     : " were executed: no failure in ");
		if (covered->failures)
			rfs_text_put(text, "%" PRIu64 " of ", covered->failures);
		rfs_text_put(text, "%" PRIu64 " execution%s%s\n", executions, rfs_plural(executions),
			     covered->failures ? " failed" : "");
	} else {
		rfs_text_put(text, "not proved  ");
		if (proof->strayed)
			rfs_text_put(text,
				     "%" PRIu64 " execution%s did not repeat the operations of earlier ones: the "
				     "program depends on more than its schedule\n",
				     proof->strayed, rfs_plural(proof->strayed));
		else if (proof->inconclusive)
			rfs_text_put(text,
				     "%" PRIu64
				     " execution%s timed out, had too many steps or could not be controlled\n",
				     proof->inconclusive, rfs_plural(proof->inconclusive));
		else
			rfs_text_put(text, "not all schedules without a preemption were executed\n");
	}
	put_rounds(text, proof);
	if (!covered || !sound || covered->failures)
		return;
	put_assumptions(text, proof);
	rfs_text_put(text, "            points: ");
	if (proof->points == RFS_POINTS_MEMORY)
		rfs_text_put(text, "synchronisation and shared accesses of watched modules\n");
	else
		rfs_text_put(text, "synchronisation%s; other accesses are assumed to have no race\n",
			     proof->points == RFS_POINTS_RACES ? " and statements of predicted pairs" : "");
	rfs_text_put(text, "            not covered: other libraries, input from outside, the values of clocks, of "
			   "descriptors and of new addresses, weak memory\n");
}
