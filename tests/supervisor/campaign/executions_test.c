/* executions_test.c - what the campaign asks of each execution: its seed, name and limits. */
#include "supervisor/campaign/executions/executions.h"

#include <criterion/criterion.h>

#include "policy/policy.h"
#include "supervisor/campaign/decisions/limits.h"
#include "supervisor/campaign/executions/atomic_moves.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/program.h"
#include "supervisor/campaign/settings/settings.h"
#include "supervisor/record/execution.h"

TestSuite(executions, .timeout = 20);

/* Near the end of the budget a run may take less time than --timeout, and never more. */
Test(executions, the_end_of_the_budget_shortens_runs)
{
	static const struct {
		double timeout, run_seconds, expected;
	} cases[] = {{10, 0, 10}, {10, 3, 3}, {10, 30, 10}, {0.5, 0.2, 0.2}};
	static const struct rfs_policy_ops policy = {.name = "test"};
	const struct rfs_program program = {.path = (char *)"/bin/program"};
	const struct rfs_campaign_settings settings = {.program = &program};
	struct rfs_atomic_moves moves = {0};
	struct rfs_limits limits = {.cpu_limit = 7, .step_limit = 900, .stops_per_run = 5};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct rfs_options options = {.seed = 40, .run.limits.timeout = cases[i].timeout};
		const struct rfs_campaign campaign = {.settings = &settings,
						      .options = &options,
						      .moves = &moves,
						      .limits = &limits,
						      .run_seconds = cases[i].run_seconds};
		struct rfs_execution execution = {0};

		rfs_campaign_execution(&campaign, "explore", 2, &policy, RFS_POINTS_SYNC, &execution);
		cr_expect_eq(execution.spec.limits.timeout, cases[i].expected, "case %zu: %g", i,
			     execution.spec.limits.timeout);
		cr_expect_str_eq(execution.name, "explore-seed-42");
		cr_expect_eq(execution.spec.seed, 42);
		cr_expect_eq(execution.spec.limits.cpu, 7);
		cr_expect_eq(execution.spec.limits.steps, 900);
		cr_expect_eq(execution.spec.stops_per_run, 5);
		cr_expect_str_eq(execution.spec.process.path, "/bin/program");
	}
}
