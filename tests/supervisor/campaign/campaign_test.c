#include "supervisor/campaign/campaign.h"
#include "supervisor/campaign/settings/settings.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "supervisor/base/error.h"
#include "supervisor/base/output.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/program.h"
#include "supervisor/report/data/report.h"
#include "tests/supervisor/scratch.h"

TestSuite(campaign_options, .timeout = 60);

/* The command line refuses --predict-runs 0, but code can make such options, too. */
Test(campaign_options, races_without_predicting_runs_are_refused)
{
	static const struct {
		enum rfs_points points;
		unsigned predict_runs;
		const char *output;
		int error;
	} cases[] = {{RFS_POINTS_RACES, 0, "races", -EINVAL}, {RFS_POINTS_SYNC, 0, "sync", 0}};
	static char path[] = "/no/prog";
	char *scratch = scratch_enter(), *argv[] = {path, NULL}, *envp[] = {NULL};
	struct rfs_program program = {.path = path, .argv = argv};

	rfs_log_set_level(RFS_LOG_QUIET);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_options options = {.mode = RFS_MODE_SAMPLE,
					      .jobs = 1,
					      .predict_runs = cases[i].predict_runs,
					      .run = {.points = cases[i].points},
					      .points_given = true,
					      .argv = argv};
		struct rfs_campaign_settings settings = {
			.options = &options, .program = &program, .envp = envp, .cancel_fd = -1};
		struct rfs_output output;
		struct rfs_report report;
		char why[512] = "";

		cr_assert_eq(rfs_output_open(cases[i].output, argv, &output, why, sizeof(why)), 0, "%s", why);
		settings.output = &output;
		rfs_report_init(&report);
		cr_expect_eq(rfs_campaign_run(&settings, &report, why, sizeof(why)), cases[i].error, "%s", why);
		cr_expect_eq(strstr(why, "set --predict-runs") != NULL, cases[i].error != 0, "%s", why);
		rfs_report_release(&report);
		rfs_output_close(&output);
	}
	scratch_leave(scratch);
}
