/*
 * turns_test.c - the policy "turns" on the model machine: whole calls of two threads in a given order. Semaphore 0
 * marks the ends of calls.
 */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "tests/policy/model.h"

#include "policy/registry.h"

TestSuite(turns, .timeout = 30);

enum { SEEN = 0, COUNT = 64 }; /* offsets in memory */
enum { MARK = 0, DOOR = 1 };   /* semaphores */

static const struct model_op first[] = {
	{M_SEM_POST, .object = MARK},
	{M_CREATE, .reg = 0, .value = 1},
	{M_CREATE, .reg = 1, .value = 2},
	{M_JOIN, .reg = 0},
	{M_JOIN, .reg = 1},
};
/* Each call reads what the other thread has written so far, and keeps it. */
static const struct model_op one[] = {
	{M_INC, .object = COUNT},
	{M_READ, .reg = 0, .object = COUNT + 8},
	{M_STORE, .reg = 0, .object = SEEN},
	{M_SEM_POST, .object = MARK},
	{M_INC, .object = COUNT},
	{M_READ, .reg = 0, .object = COUNT + 8},
	{M_STORE, .reg = 0, .object = SEEN + 8},
	{M_SEM_POST, .object = MARK},
};
static const struct model_op two[] = {
	{M_INC, .object = COUNT + 8},
	{M_SEM_POST, .object = MARK},
	{M_INC, .object = COUNT + 8},
	{M_SEM_POST, .object = MARK},
};
/* of one and two: an M_INC is a read and a write, and each thread begins and ends */
enum { STEPS = 10 + 6 + 4 };
static const struct model_body bodies[] = {MODEL_BODY(first), MODEL_BODY(one), MODEL_BODY(two)};
static const struct model_program program = {bodies, 3, 1};

static void run(const struct model_program *which, const char *options, uint64_t seed, struct model_result *out)
{
	const struct model_config config = {
		.policy = rfs_policy_find("turns"), .options = options, .seed = seed, .all_accesses = true};

	model_run(which, &config, out);
}

static uint64_t word(const struct model_result *result, size_t offset)
{
	uint64_t value = 0;

	for (int i = 7; i >= 0; i--)
		value = value << 8 | result->memory[offset + (size_t)i];
	return value;
}

Test(turns, calls_are_executed_in_the_given_order_whatever_the_seed)
{
	/* seen: how many calls of thread 2 came before each call of thread 1 */
	static const struct {
		const char *options;
		uint64_t seen[2];
	} rows[] = {
		{"order=1122", {0, 0}}, {"order=1212", {0, 1}}, {"order=1221", {0, 2}},
		{"order=2112", {1, 1}}, {"order=2121", {1, 2}}, {"order=2211", {2, 2}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (uint64_t seed = 1; seed <= 5; seed++) {
			struct model_result result;

			run(&program, rows[i].options, seed, &result);
			cr_assert_eq(result.end, MODEL_DONE, "%s", rows[i].options);
			cr_expect_eq(word(&result, SEEN), rows[i].seen[0], "%s", rows[i].options);
			cr_expect_eq(word(&result, SEEN + 8), rows[i].seen[1], "%s", rows[i].options);
			cr_expect_eq(result.stat_steps, STEPS, "%s", rows[i].options);
			model_release(&result);
		}
}

/* A call that waits for a call of the other thread is parked, and the other thread continues. */
static const struct model_op waiting[] = {
	{M_SEM_WAIT, .object = DOOR},
	{M_INC, .object = COUNT},
	{M_SEM_POST, .object = MARK},
};
static const struct model_op opening[] = {
	{M_INC, .object = COUNT + 8},
	{M_SEM_POST, .object = DOOR},
	{M_SEM_POST, .object = MARK},
};
static const struct model_body waiting_bodies[] = {MODEL_BODY(first), MODEL_BODY(waiting), MODEL_BODY(opening)};
static const struct model_program waiting_program = {waiting_bodies, 3, 1};

Test(turns, a_call_that_waits_does_not_stop_the_other_thread)
{
	struct model_result result;

	run(&waiting_program, "order=12", 1, &result);
	cr_expect_eq(result.end, MODEL_DONE);
	cr_expect_eq(word(&result, COUNT), 1);
	cr_expect_eq(word(&result, COUNT + 8), 1);
	model_release(&result);
}

/* The other thread ends its call before the waiting call continues, so this call sees all of it. */
static const struct model_op looking[] = {
	{M_SEM_WAIT, .object = DOOR},
	{M_READ, .reg = 0, .object = COUNT + 8},
	{M_STORE, .reg = 0, .object = SEEN},
	{M_SEM_POST, .object = MARK},
};
static const struct model_op opening_early[] = {
	{M_SEM_POST, .object = DOOR},
	{M_INC, .object = COUNT + 8},
	{M_SEM_POST, .object = MARK},
};
static const struct model_body looking_bodies[] = {MODEL_BODY(first), MODEL_BODY(looking), MODEL_BODY(opening_early)};
static const struct model_program looking_program = {looking_bodies, 3, 1};

Test(turns, a_call_that_waited_goes_on_after_a_whole_call)
{
	struct model_result result;

	run(&looking_program, "order=12", 1, &result);
	cr_expect_eq(result.end, MODEL_DONE);
	cr_expect_eq(word(&result, SEEN), 1);
	model_release(&result);
}

/* The prefix starts a thread of the library, which is not one of those that take turns. */
static const struct model_op first_with_helper[] = {
	{M_CREATE, .reg = 2, .value = 3}, {M_SEM_POST, .object = MARK}, {M_CREATE, .reg = 0, .value = 1},
	{M_CREATE, .reg = 1, .value = 2}, {M_JOIN, .reg = 0},		{M_JOIN, .reg = 1},
};
static const struct model_op helper[] = {{M_INC, .object = COUNT + 16}};
static const struct model_body helper_bodies[] = {MODEL_BODY(first_with_helper), MODEL_BODY(one), MODEL_BODY(two),
						  MODEL_BODY(helper)};
static const struct model_program helper_program = {helper_bodies, 4, 1};

Test(turns, threads_of_the_library_have_no_turn)
{
	struct model_result result;

	run(&helper_program, "order=1221", 1, &result);
	cr_expect_eq(result.end, MODEL_DONE);
	cr_expect_eq(word(&result, SEEN), 0);
	cr_expect_eq(word(&result, SEEN + 8), 2);
	cr_expect_eq(word(&result, COUNT + 16), 1);
	model_release(&result);
}

static struct rfs_blob saved_by(const struct model_program *which, const char *options)
{
	struct rfs_blob saved = {0};
	const struct model_config config = {.policy = rfs_policy_find("turns"),
					    .options = options,
					    .seed = 1,
					    .all_accesses = true,
					    .saved = &saved};
	struct model_result result;

	model_run(which, &config, &result);
	cr_expect_eq(result.end, MODEL_DONE, "%s", options);
	model_release(&result);
	return saved;
}

/* Thread 1 reads what thread 2 counts. All else is used by one thread only. */
Test(turns, saves_the_sites_of_accesses_in_conflict)
{
	static const char *const orders[] = {"order=1122", "order=2211", "order=1221"};
	const rfs_site expected[] = {MODEL_SITE(1, 1), MODEL_SITE(1, 5), MODEL_SITE(2, 0), MODEL_SITE(2, 2)};
	struct rfs_blob saved;

	for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++) {
		saved = saved_by(&program, orders[i]);
		cr_expect_arr_eq(saved.data, expected, saved.size == sizeof(expected) ? sizeof(expected) : 0);
		cr_expect_eq(saved.size, sizeof(expected), "%s: %zu bytes", orders[i], saved.size);
		free(saved.data);
	}
	saved = saved_by(&waiting_program, "order=12");
	cr_expect_eq(saved.size, 0, "the threads share only semaphores");
	free(saved.data);
}

/* The library posts a semaphore of its own, and then starts its thread. */
static const struct model_op first_with_semaphore[] = {
	{M_SEM_POST, .object = DOOR},
	{M_CREATE, .reg = 2, .value = 3},
	{M_SEM_POST, .object = MARK},
	{M_CREATE, .reg = 0, .value = 1},
	{M_CREATE, .reg = 1, .value = 2},
	{M_JOIN, .reg = 0},
	{M_JOIN, .reg = 1},
};
static const struct model_op posting_helper[] = {{M_SEM_POST, .object = DOOR}, {M_INC, .object = COUNT + 16}};
static const struct model_body semaphore_bodies[] = {MODEL_BODY(first_with_semaphore), MODEL_BODY(one), MODEL_BODY(two),
						     MODEL_BODY(posting_helper)};
static const struct model_program semaphore_program = {semaphore_bodies, 4, 1};

Test(turns, a_semaphore_of_the_library_is_no_mark)
{
	struct model_result result;

	run(&semaphore_program, "order=1221", 1, &result);
	cr_expect_eq(result.end, MODEL_DONE);
	cr_expect_eq(word(&result, SEEN), 0);
	cr_expect_eq(word(&result, SEEN + 8), 2);
	cr_expect_eq(word(&result, COUNT + 16), 1);
	model_release(&result);
}

static const struct model_body stuck_bodies[] = {MODEL_BODY(first), MODEL_BODY(waiting), MODEL_BODY(waiting)};
static const struct model_program stuck_program = {stuck_bodies, 3, 1};

Test(turns, two_calls_that_wait_are_a_deadlock)
{
	struct model_result result;

	run(&stuck_program, "order=12", 1, &result);
	cr_expect_eq(result.end, MODEL_DEADLOCK);
	model_release(&result);
}

Test(turns, refuses_other_options_and_is_not_listed)
{
	void *state;
	const struct rfs_policy_args args = {.seed = 1, .options = "bound=2"};

	cr_expect_lt(rfs_policy_find("turns")->init(&state, &args), 0);
	for (const struct rfs_policy_ops *const *p = rfs_policy_list(); *p; p++)
		cr_expect_str_neq((*p)->name, "turns");
}
