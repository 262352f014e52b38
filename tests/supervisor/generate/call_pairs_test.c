/* call_pairs_test.c - which pairs of calls count as the same, and what they weigh. */
#include "supervisor/generate/tests/call_pairs.h"

#include <criterion/criterion.h>

#include "supervisor/generate/driver/script.h"

TestSuite(call_pairs, .timeout = 30);

#define OBJECT 0

/* A call of this function with the shared object and an integer. */
struct call {
	struct rfs_value values[2];
	struct rfs_sequence_call call;
};

static struct rfs_calls call_of(struct call *call, size_t function, unsigned effects, int64_t integer)
{
	call->values[0] = (struct rfs_value){.kind = RFS_VALUE_VARIABLE, .integer = OBJECT};
	call->values[1] = (struct rfs_value){.kind = RFS_VALUE_INTEGER, .integer = integer};
	call->call = (struct rfs_sequence_call){
		.function = function, .variable = -1, .effects = effects, .values = call->values, .n_values = 2};
	return (struct rfs_calls){&call->call, 1};
}

static void execute(struct rfs_call_pairs *pairs, struct rfs_calls first, struct rfs_calls second, bool telling)
{
	rfs_call_pairs_planned(pairs, first, second, OBJECT);
	rfs_call_pairs_executed(pairs, first, second, OBJECT, telling);
}

Test(call_pairs, a_pair_weighs_less_each_time_that_it_is_executed)
{
	struct call calls[2];
	struct rfs_calls get = call_of(&calls[0], 4, 0, 1), set = call_of(&calls[1], 7, 0, 2);
	struct rfs_call_pairs *pairs = rfs_call_pairs_new();

	cr_expect(rfs_call_pairs_are_new(pairs, get, set));
	cr_expect_eq(rfs_call_pairs_weight(pairs, get, set, OBJECT), 1);
	execute(pairs, get, set, true);
	cr_expect_not(rfs_call_pairs_are_new(pairs, get, set));
	cr_expect_eq(rfs_call_pairs_weight(pairs, get, set, OBJECT), 0.5);
	cr_expect_eq(rfs_call_pairs_weight(pairs, set, get, OBJECT), 0.5, "the order of the threads does not matter");
	cr_expect_eq(rfs_call_pairs_weight(pairs, get, get, OBJECT), 1);
	cr_expect_eq(rfs_call_pairs_count(pairs), 1);
	rfs_call_pairs_free(pairs);
}

/* Two calls of each thread make four pairs. */
Test(call_pairs, a_pair_counts_once_in_a_test)
{
	struct call calls[2];
	const struct rfs_calls get = call_of(&calls[0], 4, 0, 1), set = call_of(&calls[1], 7, 0, 2);
	const struct rfs_sequence_call twice[] = {*get.list, *get.list}, both[] = {*get.list, *set.list};
	const struct rfs_calls same = {twice, 2}, different = {both, 2};
	struct rfs_call_pairs *pairs = rfs_call_pairs_new();

	cr_expect_eq(rfs_call_pairs_weight(pairs, same, same, OBJECT), 1);
	cr_expect_eq(rfs_call_pairs_weight(pairs, same, different, OBJECT), 2);
	cr_expect_eq(rfs_call_pairs_weight(pairs, different, different, OBJECT), 3,
		     "get and get, get and set, set and set");
	execute(pairs, same, same, true);
	cr_expect_eq(rfs_call_pairs_weight(pairs, get, get, OBJECT), 0.5);
	rfs_call_pairs_free(pairs);
}

Test(call_pairs, calls_of_the_same_methods_differ_by_their_effects)
{
	struct call calls[3];
	struct rfs_calls get = call_of(&calls[0], 4, 0, 1), removes = call_of(&calls[1], 7, RFS_DRIVER_FREES, 2),
			 misses = call_of(&calls[2], 7, 0, 2);
	struct rfs_call_pairs *pairs = rfs_call_pairs_new();

	execute(pairs, get, misses, true);
	cr_expect_eq(rfs_call_pairs_weight(pairs, get, removes, OBJECT), 1);
	cr_expect_not(rfs_call_pairs_are_new(pairs, get, removes), "the methods are the same");
	execute(pairs, removes, get, true);
	cr_expect_eq(rfs_call_pairs_weight(pairs, get, removes, OBJECT), 0.5);
	execute(pairs, removes, misses, true);
	cr_expect_eq(rfs_call_pairs_weight(pairs, misses, removes, OBJECT), 0.5);
	cr_expect_eq(rfs_call_pairs_count(pairs), 2);
	rfs_call_pairs_free(pairs);
}

Test(call_pairs, calls_that_share_an_argument_are_another_pair)
{
	struct call calls[3];
	struct rfs_calls get = call_of(&calls[0], 4, 0, 1), same = call_of(&calls[1], 7, 0, 1),
			 other = call_of(&calls[2], 7, 0, 2);
	struct rfs_call_pairs *pairs = rfs_call_pairs_new();

	execute(pairs, get, other, true);
	cr_expect_eq(rfs_call_pairs_weight(pairs, get, same, OBJECT), 1,
		     "all calls share the object, which does not count");
	execute(pairs, get, same, true);
	execute(pairs, get, same, true);
	cr_expect_float_eq(rfs_call_pairs_weight(pairs, get, same, OBJECT), 1.0 / 3, 1e-9);
	cr_expect_eq(rfs_call_pairs_weight(pairs, get, other, OBJECT), 0.5);
	rfs_call_pairs_free(pairs);
}

Test(call_pairs, calls_that_show_nothing_weigh_less)
{
	struct call calls[3];
	struct rfs_calls get = call_of(&calls[0], 4, 0, 1), add = call_of(&calls[1], 7, 0, 2),
			 set = call_of(&calls[2], 8, 0, 2);
	struct rfs_call_pairs *pairs = rfs_call_pairs_new();

	execute(pairs, get, add, false);
	execute(pairs, get, set, true);
	cr_expect_lt(rfs_call_pairs_weight(pairs, get, add, OBJECT), rfs_call_pairs_weight(pairs, get, set, OBJECT));
	cr_expect_eq(rfs_call_pairs_count(pairs), 2);
	rfs_call_pairs_free(pairs);
}

Test(call_pairs, a_planned_pair_weighs_less_and_counts_when_it_was_executed)
{
	struct call calls[2];
	struct rfs_calls get = call_of(&calls[0], 4, 0, 1), set = call_of(&calls[1], 7, 0, 2);
	struct rfs_call_pairs *pairs = rfs_call_pairs_new();

	rfs_call_pairs_planned(pairs, get, set, OBJECT);
	cr_expect_not(rfs_call_pairs_are_new(pairs, get, set));
	cr_expect_eq(rfs_call_pairs_weight(pairs, get, set, OBJECT), 0.5);
	cr_expect_eq(rfs_call_pairs_count(pairs), 0);
	rfs_call_pairs_executed(pairs, get, set, OBJECT, true);
	cr_expect_eq(rfs_call_pairs_weight(pairs, get, set, OBJECT), 0.5);
	cr_expect_eq(rfs_call_pairs_count(pairs), 1);
	rfs_call_pairs_free(pairs);
}
