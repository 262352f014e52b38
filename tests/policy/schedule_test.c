/* The policy schedule: who follows a thread that yields, and when a directive lets time pass. */
#include <criterion/criterion.h>

#include "tests/policy/model.h"

#include "policy/registry.h"
#include "policy/samplers/schedule.h"

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

/* The choice of thread 0, if something is due in `due` ns and the directive lets time pass before its first operation.
 */
static int choice_if_due_in(uint64_t due, int again)
{
	struct rfs_directive directive = {.thread = 0, .choose = RFS_TIME_PASSES, .waiter = -1};
	const struct rfs_blob blob = {&directive, sizeof(directive)};
	const struct rfs_policy_args args = {.seed = 1, .blob = &blob};
	const struct rfs_thread_view thread = {.flags = RFS_THREAD_ENABLED | RFS_THREAD_READY};
	const struct rfs_view view = {.n_threads = 1,
				      .threads = &thread,
				      .time_can_pass = due > 0,
				      .time = 1000,
				      .due = 1000 + due,
				      .sleep_race = 800};
	const struct rfs_policy_ops *policy = rfs_policy_find("schedule");
	struct rfs_choice choice = {.thread = -1};
	void *state;

	cr_assert_eq(policy->init(&state, &args), 0);
	for (int i = 0; i <= again; i++)
		cr_assert_eq(policy->pick(state, &view, &choice), 0);
	policy->fini(state);
	return choice.thread;
}

/* A directive is followed once, and never lets more time pass than --sleep-race and its margin of an eighth. */
Test(schedule, time_passes_as_a_directive_says)
{
	cr_expect_eq(choice_if_due_in(900, 0), RFS_TIME_PASSES);
	cr_expect_eq(choice_if_due_in(900, 1), 0);
	cr_expect_eq(choice_if_due_in(901, 0), 0);
	cr_expect_eq(choice_if_due_in(0, 0), 0);
}
