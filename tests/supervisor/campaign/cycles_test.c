/* cycles_test.c - the predicted deadlocks of several runs are joined, and which of them are tried. */
#include "supervisor/campaign/predicted/cycles.h"

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdint.h>

#include "supervisor/base/alloc.h"
#include "supervisor/record/run_result.h"

TestSuite(cycles, .timeout = 20);

static void set_lock(struct rfs_cycle_lock *lock, uint64_t class, const char *module, uint64_t offset)
{
	lock->class = class;
	lock->site.module = module ? xstrdup(module) : NULL;
	lock->site.offset = offset;
}

/* Two locks, acquired in both orders. module: of the code that acquires the second lock; NULL: it has no name. */
static void add_cycle(struct rfs_run_result *result, uint64_t first, uint64_t second, const char *module,
		      bool one_thread)
{
	struct rfs_cycle *cycle;

	result->cycles.list = xreallocarray(result->cycles.list, result->cycles.n + 1, sizeof(*result->cycles.list));
	cycle = &result->cycles.list[result->cycles.n++];
	*cycle = (struct rfs_cycle){.parts = xcalloc(2, sizeof(*cycle->parts)), .n = 2, .one_thread = one_thread};
	set_lock(&cycle->parts[0].held, first, "/p", first);
	set_lock(&cycle->parts[0].wanted, second, module, second);
	set_lock(&cycle->parts[1].held, second, module, second + 100);
	set_lock(&cycle->parts[1].wanted, first, "/p", first + 100);
}

static void join(struct rfs_cycle_list *cycles, struct rfs_run_result *result)
{
	rfs_cycle_list_join(cycles, result);
	rfs_run_result_release(result);
}

Test(cycles, of_several_runs_are_joined)
{
	struct rfs_cycle_list cycles = {0};
	struct rfs_run_result one = {0}, two = {0};

	add_cycle(&one, 1, 2, "/p", false);
	add_cycle(&one, 3, 4, NULL, false); /* no other run can find this code again */
	join(&cycles, &one);
	cr_assert_eq(cycles.n, 1);
	cr_expect(!cycles.cut);
	add_cycle(&two, 1, 2, "/p", false);
	add_cycle(&two, 5, 6, "/p", false);
	add_cycle(&two, 7, 8, "/p", true);
	two.cycles_cut = true;
	join(&cycles, &two);
	cr_assert_eq(cycles.n, 3);
	cr_expect(cycles.cut);
	rfs_cycle_list_settle(&cycles);
	cr_expect_str_eq(cycles.list[0]->label, "deadlock-1");
	cr_expect_str_eq(cycles.list[1]->label, "deadlock-2");
	cr_expect_eq(cycles.list[1]->cycle.parts[0].held.class, 5);
	rfs_cycle_list_release(&cycles);
}

/* The order in which runs end depends on --jobs. */
Test(cycles, have_labels_that_do_not_depend_on_the_order_of_runs)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		struct rfs_cycle_list cycles = {0};
		struct rfs_run_result result[2] = {0};

		add_cycle(&result[0], 5, 6, "/p", false);
		add_cycle(&result[1], 1, 2, "/p", true);
		add_cycle(&result[1], 3, 4, "/p", false);
		join(&cycles, &result[swapped]);
		join(&cycles, &result[!swapped]);
		rfs_cycle_list_settle(&cycles);
		cr_expect_eq(cycles.list[0]->cycle.parts[0].held.class, 3);
		cr_expect_str_eq(cycles.list[0]->label, "deadlock-1");
		cr_expect_eq(cycles.list[1]->cycle.parts[0].held.class, 5);
		cr_expect(cycles.list[2]->cycle.one_thread);
		cr_expect_str_eq(cycles.list[2]->label, "deadlock-3");
		rfs_cycle_list_release(&cycles);
	}
}

/* An inversion by one thread is no deadlock. One that was created needs no more runs. */
Test(cycles, are_open_until_they_are_created)
{
	struct rfs_cycle_list cycles = {0};
	struct rfs_run_result result = {0};

	add_cycle(&result, 1, 2, "/p", false);
	add_cycle(&result, 3, 4, "/p", true);
	join(&cycles, &result);
	cr_assert_eq(cycles.n, 2);
	cr_expect(rfs_cycle_is_open(cycles.list[0]));
	cr_expect(!rfs_cycle_is_open(cycles.list[1]));
	cycles.list[0]->created = 1;
	cr_expect(!rfs_cycle_is_open(cycles.list[0]));
	rfs_cycle_list_release(&cycles);
}
