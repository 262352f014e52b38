/*
 * deadlock_test.c - what a report says about each thread of a deadlock: what it waits for, and the calls that led
 * there.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(deadlock, .timeout = 600);

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

/*
 * While a thread sleeps at a condition variable, its instruction pointer is at a trampoline. The report must show the
 * stack with which it called pthread_cond_wait().
 */
Test(deadlock, the_waiter_of_a_condition_has_a_stack)
{
	struct e2e e2e;
	char *program;
	const json_t *threads, *thread, *stack;
	size_t i, waiters = 0;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "one_signal.c", "-O2 -g -pthread");
	e2e_run(&e2e, WORDS("--policy=random", "--runs=300", "--until-failure", program));
	e2e_expect_status(&e2e, 1);
	cr_assert_geq(e2e_count(&e2e, "deadlocks"), 1, "%s", e2e.said.out);
	threads = json_object_get(e2e_item(&e2e, "deadlocks", 0), "threads");
	json_array_foreach(threads, i, thread)
	{
		if (strcmp(text_of(thread, "waits_for"), "a signal of changed") != 0)
			continue;
		waiters++;
		stack = json_object_get(thread, "stack");
		e2e_expect(&e2e, strcmp(text_of(json_array_get(stack, 0), "function"), "pthread_cond_wait") == 0,
			   "the innermost function is '%s'", text_of(json_array_get(stack, 0), "function"));
		e2e_expect(&e2e, ends_with(text_of(json_array_get(stack, 1), "file"), "one_signal.c"),
			   "it was called from '%s'", text_of(json_array_get(stack, 1), "file"));
		e2e_expect(&e2e, strcmp(text_of(json_array_get(stack, 1), "function"), "waiter") == 0,
			   "it was called by '%s'", text_of(json_array_get(stack, 1), "function"));
	}
	e2e_expect(&e2e, waiters == 1, "%zu threads wait for the condition", waiters);
	e2e_expect_replay(&e2e, e2e_item(&e2e, "deadlocks", 0));
	free(program);
	e2e_end(&e2e);
}

static void expect_words(const char *target, const char *right, const char *wrong)
{
	char *program = e2e_target("O2g", target);
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--policy=random", "--runs=300", "--until-failure", program));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, strstr(e2e.said.out, right) != NULL, "no '%s' in %s", right, e2e.said.out);
	e2e_expect(&e2e, !strstr(e2e.said.out, wrong), "'%s' in %s", wrong, e2e.said.out);
	free(program);
	e2e_end(&e2e);
}

/* A writer that waits for a lock does not hold it, and the call with which it begins to wait is no trylock. */
Test(deadlock, a_reader_behind_a_writer_waits_for_no_holder)
{
	if (!e2e_full())
		return;
	expect_words("rwlock_prefers_writers", "waits for rdlock of lock, behind the waiting writer thread",
		     "waits for rdlock of lock, held by");
	expect_words("rwlock_prefers_writers", "begins wrlock lock", "trylock");
	expect_words("deadlock_rwlocks", "waits for wrlock of users, held by thread", "behind");
}

/* A thread may leave a cycle if it is cancelled while it joins another one. */
Test(deadlock, a_join_that_is_cancelled_is_none)
{
	static const struct {
		const char *way;
		int status;
	} ways[] = {{"cancels", 0}, {"disabled", 1}, {"joins", 1}};
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "cancelled_join.c", "-O2 -g -pthread");
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		e2e_run(&e2e, WORDS("--runs=20", "--explore=40", program, ways[i].way));
		e2e_expect_status(&e2e, ways[i].status);
		e2e_expect(&e2e, (e2e_count(&e2e, "deadlocks") == 1) == (ways[i].status == 1), "%s: %s", ways[i].way,
			   e2e.said.out);
	}
	free(program);
	e2e_end(&e2e);
}
