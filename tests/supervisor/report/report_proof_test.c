/* report_proof_test.c - what a report claims after --prove: never more than was executed. */
#include "supervisor/report/data/report_proof.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/report/data/report.h"
#include "supervisor/report/text/report_text.h"

TestSuite(report_proof, .timeout = 20);

static char *text_of(const struct rfs_report_proof *proof)
{
	struct rfs_report report;
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	rfs_report_init(&report);
	report.proof = *proof;
	rfs_report_finish(&report);
	rfs_report_write_text(&report, false, out);
	fclose(out);
	rfs_report_release(&report);
	return text;
}

static const struct rfs_report_proof all = {
	.made = true,
	.points = RFS_POINTS_MEMORY,
	.places = 31,
	.rounds = {{.bounded = true, .ended = true, .executions = 3},
		   {.ended = true, .executions = 40, .redundant = 2}},
	.n = 2,
	.all = true,
};

static void expect(const struct rfs_report_proof *proof, const char *line, bool incomplete)
{
	char *text = text_of(proof);

	cr_expect(strstr(text, line), "no '%s' in:\n%s", line, text);
	cr_expect_eq(rfs_report_proof_incomplete(proof) != NULL, incomplete, "%s", line);
	free(text);
}

Test(report_proof, the_claim_is_what_was_executed)
{
	struct rfs_report_proof proof = all;

	expect(&proof, "proved      all schedules at these 31 points were executed: no failure in 42 executions\n",
	       false);
	proof.all = proof.rounds[1].ended = false;
	proof.rounds[1].left = 7;
	expect(&proof,
	       "proved      all schedules with no preemption at these 31 points were executed: no failure in 3 "
	       "executions\n",
	       true);
	expect(&proof, "at least 7 are missing\n", true);
	proof.rounds[0].ended = false;
	expect(&proof, "not proved  not all schedules without a preemption", true);
	proof = all;
	proof.rounds[1].failures = 5;
	expect(&proof, "executed    all schedules at these 31 points: 5 of 42 executions failed\n", false);
	proof = all;
	proof.strayed = 1;
	expect(&proof, "not proved  1 execution did not repeat the operations", true);
	proof = all;
	proof.inconclusive = 2;
	expect(&proof, "not proved  2 executions timed out", true);
	proof = all;
	proof.points = RFS_POINTS_SYNC;
	expect(&proof, "points: synchronisation; other accesses are assumed to have no race\n", false);
}
