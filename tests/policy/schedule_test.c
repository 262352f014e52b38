/* The policy schedule without directives: who follows a thread that yields. */
#include <criterion/criterion.h>

#include "tests/policy/model.h"

#include "policy/registry.h"

TestSuite(schedule, .timeout = 60);

enum { COUNT = 0, LOCK = 0, PARTIES = 4 };

/* Each thread counts itself under a lock, then looks under the lock until all have arrived, and yields between looks.
 */
static const struct model_op arrives[] = {
	{M_LOCK, .object = LOCK},
	{M_INC, .object = COUNT},
	{M_UNLOCK, .object = LOCK},
	{M_LOCK, .object = LOCK},
	{M_READ, .reg = 1, .object = COUNT},
	{M_UNLOCK, .object = LOCK},
	{M_IF, .reg = 1, .value = PARTIES, .target = 9},
	{.code = M_YIELD},
	{M_GOTO, .target = 3},
	{.code = M_SET},
};

static enum model_end run(const char *options)
{
	static const struct model_body bodies[PARTIES] = {MODEL_BODY(arrives), MODEL_BODY(arrives), MODEL_BODY(arrives),
							  MODEL_BODY(arrives)};
	static const struct model_program program = {bodies, PARTIES, PARTIES};
	const struct model_config config = {
		.policy = rfs_policy_find("schedule"), .options = options, .seed = 1, .max_steps = 10000};
	struct model_result result;
	enum model_end end;

	model_run(&program, &config, &result);
	end = result.end;
	model_release(&result);
	return end;
}

Test(schedule, threads_that_yield_in_turn_reach_a_barrier)
{
	cr_expect_eq(run("in_turn=1"), MODEL_DONE);
	/* the control: two threads yield to each other, and the others never arrive */
	cr_expect_eq(run(NULL), MODEL_STEPS);
}
