/* scripted_run.c - a whole run on the fake tracer, whose policy picks the threads that the test says. */
#include "tests/supervisor/run/scripted_run.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/run/run.h"

static const char *next_pick;
static char choices[1024];
static struct {
	rfs_addr address;
	int64_t seconds;
} times[4];
static size_t n_times;

static int scripted_init(void **state, const struct rfs_policy_args *args)
{
	(void)args;
	*state = choices;
	return 0;
}

static int scripted_pick(void *state, const struct rfs_view *view, struct rfs_choice *out)
{
	const char pick = *next_pick ? *next_pick++ : ' ';
	const int wanted = pick - '0';
	size_t at = strlen(choices);

	(void)state;
	cr_expect_not(fake_moves(), "a choice is made while a thread runs; the target did: %s", fake_log());
	if (pick >= 'A') {
		out->thread = pick - 'A';
		return 0;
	}
	if (at && at < sizeof(choices) - 16)
		choices[at++] = ' ';
	for (size_t i = 0; i < view->n_threads; i++) {
		const struct rfs_thread_view *t = &view->threads[i];

		if (!(t->flags & (RFS_THREAD_ENABLED | RFS_THREAD_CAN_TIME_OUT)))
			continue;
		if (at < sizeof(choices) - 16)
			choices[at++] = (char)('0' + t->thread);
		if (out->thread >= 0 && t->thread != wanted)
			continue;
		out->thread = t->thread;
		out->outcome = t->flags & RFS_THREAD_ENABLED ? RFS_OUTCOME_DONE : RFS_OUTCOME_TIMED_OUT;
	}
	choices[at] = 0;
	return 0;
}

static const struct rfs_policy_ops policy = {
	.abi = RFS_POLICY_ABI, .name = "test", .init = scripted_init, .pick = scripted_pick};

struct rfs_run_spec scripted_spec(void)
{
	static char *const none[] = {NULL};

	return (struct rfs_run_spec){.policy = &policy,
				     .accesses = RFS_ACCESSES_TRAPS,
				     .process.path = "/fake",
				     .process.argv = none,
				     .process.envp = none,
				     .core = -1,
				     .cancel_fd = -1};
}

void scripted_run(const struct fake_step *const *scripts, const char *picks, const struct rfs_run_spec *spec,
		  struct rfs_run_result *out)
{
	const struct rfs_run_spec usual = scripted_spec();
	char why[256] = "";

	next_pick = picks;
	choices[0] = 0;
	fake_program(scripts);
	for (size_t i = 0; i < n_times; i++)
		fake_put(times[i].address, (int64_t[2]){times[i].seconds, 0}, 2 * sizeof(int64_t));
	cr_assert_eq(rfs_run(spec ? spec : &usual, out, why, sizeof(why)), 0, "%s", why);
}

void scripted_time(rfs_addr address, int64_t seconds)
{
	cr_assert_lt(n_times, sizeof(times) / sizeof(*times));
	times[n_times].address = address;
	times[n_times++].seconds = seconds;
}

const char *scripted_choices(void)
{
	return choices;
}

bool scripted_warns(const struct rfs_run_result *result, const char *text)
{
	for (size_t i = 0; i < result->n_warnings; i++)
		if (strstr(result->warnings[i], text))
			return true;
	return false;
}
