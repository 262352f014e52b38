/* report_proof.c - whether all was covered, and otherwise why not, as a line. */
#include "supervisor/report/data/report_proof.h"

const struct rfs_report_proof_round *rfs_report_proof_covered(const struct rfs_report_proof *proof)
{
	const struct rfs_report_proof_round *covered = NULL;

	for (size_t i = 0; i < proof->n; i++)
		if (proof->rounds[i].ended)
			covered = &proof->rounds[i];
	return covered;
}

const char *rfs_report_proof_incomplete(const struct rfs_report_proof *proof)
{
	if (!proof->made)
		return NULL;
	if (proof->strayed)
		return "--prove: some executions did not repeat the operations of earlier ones";
	if (proof->inconclusive)
		return "--prove: some executions timed out, were too long or were not under control";
	if (!proof->all)
		return "--prove: not all schedules were executed";
	if (proof->shares_calls)
		return "--prove: calls of two threads may affect each other, and their order was not explored";
	if (proof->failed_elsewhere)
		return "--prove: other runs failed, so not all orders were explored";
	if (proof->repeated)
		return "--prove: loops that wait for another thread were not repeated";
	if (proof->torn)
		return "--prove: an access of many bytes raced, and not all its parts were executed in all orders";
	return proof->timed ? "--prove: long sleeps and timeouts came last" : NULL;
}
