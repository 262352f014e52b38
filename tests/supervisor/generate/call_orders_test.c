/* call_orders_test.c - calls that were wrong whenever they came first, or after another one. */
#include "supervisor/generate/tests/call_orders.h"

#include <criterion/criterion.h>

#include "supervisor/generate/library/value.h"

TestSuite(call_orders, .timeout = 30);

enum { LOCK, UNLOCK, OTHER };

/* The prefix is a call of another method, and both suffixes have two calls on variable 0. */
struct test {
	struct rfs_value object, none;
	struct rfs_sequence_call calls[5];
	struct rfs_sequence sequence;
};

static void test_make(struct test *test, size_t first, size_t second)
{
	const size_t functions[] = {OTHER, first, second, first, second};

	*test = (struct test){.object = {.kind = RFS_VALUE_VARIABLE}};
	for (size_t i = 0; i < 5; i++)
		test->calls[i] = (struct rfs_sequence_call){functions[i], -1, 0, &test->object, 1};
	test->sequence = (struct rfs_sequence){
		.calls = {test->calls, test->calls + 1, test->calls + 3},
		.n = {1, 2, 2},
	};
}

static int allowed(const struct rfs_call_orders *orders, size_t before, size_t function)
{
	struct rfs_rng rng;
	int n = 0;

	rfs_rng_init_stream(&rng, 1, 1);
	for (int i = 0; i < 1000; i++)
		n += rfs_call_orders_allow(orders, &rng, before, function);
	return n;
}

Test(call_orders, a_call_that_was_always_wrong_is_made_after_another_one_only)
{
	struct rfs_call_orders *orders = rfs_call_orders_new();
	struct test wrong, right;

	test_make(&wrong, UNLOCK, LOCK);
	test_make(&right, LOCK, UNLOCK);
	cr_expect_eq(allowed(orders, RFS_CALL_FIRST, UNLOCK), 1000);
	for (int i = 0; i < 5; i++)
		rfs_call_orders_note_test(orders, &wrong.sequence, 0, false);
	/* each suffix was wrong five times: one of 101 */
	cr_expect_lt(allowed(orders, RFS_CALL_FIRST, UNLOCK), 40);
	cr_expect_lt(allowed(orders, RFS_CALL_FIRST, OTHER), 100);
	cr_expect_eq(allowed(orders, LOCK, UNLOCK), 1000);
	cr_expect_lt(rfs_call_orders_weight(orders, &wrong.sequence, 0), 0.02);
	rfs_call_orders_note_test(orders, &right.sequence, 0, true);
	cr_expect_eq(allowed(orders, RFS_CALL_FIRST, OTHER), 1000, "it was right in another test");
	cr_expect_lt(allowed(orders, RFS_CALL_FIRST, UNLOCK), 40);
	cr_expect_eq(rfs_call_orders_weight(orders, &right.sequence, 0), 1);
	cr_expect_eq(rfs_call_orders_weight(orders, &wrong.sequence, 1), 1, "calls on another object do not count");
	rfs_call_orders_free(orders);
}

Test(call_orders, the_call_before_is_the_last_one_on_the_object)
{
	struct test test;

	test_make(&test, LOCK, UNLOCK);
	cr_expect_eq(rfs_call_orders_last(&test.sequence, RFS_SUFFIX_1, 0), UNLOCK);
	test.calls[2].n_values = 0;
	cr_expect_eq(rfs_call_orders_last(&test.sequence, RFS_SUFFIX_1, 0), LOCK);
	cr_expect_eq(rfs_call_orders_last(&test.sequence, RFS_STATE, 0), RFS_CALL_FIRST);
}
