/* progress_test.c - the lines that report the progress of a campaign. */
#include "supervisor/campaign/executions/progress.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/report/data/report.h"
#include "tests/supervisor/sample.h"

TestSuite(progress, .timeout = 20);

Test(progress, lines)
{
	struct rfs_progress progress = {
		.phase = "rounds", .total = 400, .round = 2, .done = 100, .findings = 1, .failures = 30};
	struct rfs_report report;
	char *line = rfs_progress_line(&progress, 20);

	cr_expect_str_eq(line, "round 2: run 100 of 400, 1 finding, 30 failed, 1:00 left");
	free(line);
	progress.budget_left = 30;
	line = rfs_progress_line(&progress, 20);
	cr_expect_not_null(strstr(line, "30 failed, at most 0:30 left"), "%s", line);
	free(line);
	progress = (struct rfs_progress){.phase = "predict", .total = 3};
	line = rfs_progress_line(&progress, 0);
	cr_expect_str_eq(line, "predict: run 0 of 3, 0 findings, 0 failed");
	free(line);
	/* a large campaign, on a terminal of 80 columns */
	progress = (struct rfs_progress){.phase = "rounds", .total = 1000000, .round = 1000, .done = 999999};
	progress.findings = 1000;
	progress.failures = 999999;
	progress.budget_left = 359999;
	line = rfs_progress_line(&progress, 1e6);
	cr_expect(strlen(line) < 80, "%zu: %s", strlen(line), line);
	free(line);

	sample_report(&report, "/src/figure1.c");
	rfs_report_finish(&report);
	progress.pairs = 2;
	line = rfs_progress_pair_line(&progress, 1, &report.pairs[0]);
	cr_expect_str_eq(line,
			 "pair 1 of 2: figure1.c:1 figure1.c:2: harmful, created (made to happen) in 98 of 100 runs, "
			 "51 failed");
	free(line);
	line = rfs_progress_pair_line(&progress, 2, &report.pairs[0]);
	cr_expect_str_eq(line, "pair 2 of 2: figure1.c:1 figure1.c:2: harmful, created in 98 of 100 runs, 51 failed");
	free(line);
	rfs_report_release(&report);
}
