/* violations_test.c - the predicted violations of several runs are joined, and how many runs they get. */
#include "supervisor/campaign/predicted/violations.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>

#include "supervisor/base/alloc.h"
#include "supervisor/record/run_result.h"

TestSuite(violations, .timeout = 20);

static void set(struct rfs_violation_access *access, const char *module, uint64_t offset)
{
	*access = (struct rfs_violation_access){.thread = 1};
	access->site.module = module ? xstrdup(module) : NULL;
	access->site.offset = offset;
}

static void add(struct rfs_run_result *result, uint64_t offset, const char *module, unsigned rank)
{
	struct rfs_violations *violations = &result->violations;
	struct rfs_violation *violation;

	violations->list = xreallocarray(violations->list, violations->n + 1, sizeof(*violations->list));
	violation = &violations->list[violations->n++];
	*violation = (struct rfs_violation){.rank = rank};
	set(&violation->first, "/p", offset);
	set(&violation->remote, module, offset + 1);
	set(&violation->second, "/p", offset + 2);
}

static void join(struct rfs_violation_list *violations, struct rfs_run_result *result)
{
	rfs_violation_list_join(violations, result);
	rfs_run_result_release(result);
}

Test(violations, of_several_runs_are_joined)
{
	struct rfs_violation_list violations = {0};
	struct rfs_run_result one = {0}, two = {0};

	add(&one, 10, "/p", 3);
	add(&one, 20, NULL, 0); /* no other run can find this code again */
	join(&violations, &one);
	cr_assert_eq(violations.n, 1);
	cr_expect(!violations.cut);
	add(&two, 10, "/p", 3);
	add(&two, 30, "/p", 0);
	two.violations_cut = true;
	join(&violations, &two);
	cr_assert_eq(violations.n, 2);
	cr_expect(violations.cut);
	rfs_violation_list_settle(&violations);
	/* the one with the smaller rank is more likely harmful */
	cr_expect_eq(violations.list[0]->violation.first.site.offset, 30);
	cr_expect_str_eq(violations.list[0]->label, "atomicity-1");
	cr_expect_eq(violations.list[0]->pair.statement[1].sites[0].offset, 31);
	cr_expect_str_eq(violations.list[0]->options[0], "early=0,remote=2");
	rfs_violation_list_release(&violations);
}

/* A violation without a lock is named, too. Each kind has its own numbers. */
Test(violations, of_orders_have_their_own_policy_options)
{
	struct rfs_violation_list violations = {0};
	struct rfs_run_result one = {0};
	const struct rfs_predicted_violation *free_first, *signal_first;

	add(&one, 10, "/p", 0);
	add(&one, 20, "/p", 1);
	add(&one, 30, "/p", 2);
	one.violations.list[1].pattern = RFS_ORDER_USE_FREE;
	one.violations.list[2].pattern = RFS_ORDER_WAIT_SIGNAL;
	free(one.violations.list[2].second.site.module);
	one.violations.list[2].second.site = (struct rfs_place){0};
	join(&violations, &one);
	rfs_violation_list_settle(&violations);
	cr_assert_eq(violations.n, 3);
	cr_expect_str_eq(violations.list[0]->label, "atomicity-1");
	free_first = violations.list[1];
	cr_expect_str_eq(free_first->label, "order-1");
	cr_expect_str_eq(free_first->options[0], "skips=0,remote=2");
	cr_expect_eq(free_first->pair.statement[1].n_sites, 1);
	cr_expect_eq(free_first->order.held.offset, 22);
	cr_expect_null(free_first->order.calls[0].module);
	signal_first = violations.list[2];
	cr_expect_str_eq(signal_first->label, "order-2");
	cr_expect_eq(signal_first->pair.statement[1].n_sites, 0);
	cr_expect_null(signal_first->order.held.module);
	cr_expect_eq(signal_first->order.calls[0].offset, 30);
	cr_expect_eq(signal_first->order.calls[1].offset, 31);
	rfs_violation_list_release(&violations);
}

/* Of n atomicity violations; those of orders do not count. */
static uint64_t planned(uint64_t runs, size_t n)
{
	const struct rfs_violation_list violations = {.n_labels = {n, 5}};
	const struct rfs_predicted_violation violation = {0};

	return rfs_violation_planned(&violations, &violation, runs);
}

/* However many there are, they do not take the runs of the pairs. */
Test(violations, have_a_share_of_the_runs)
{
	cr_expect_eq(planned(100, 1), 26);
	cr_expect_eq(planned(100, 10), 20);
	cr_expect_eq(planned(100, RFS_VIOLATIONS_MAX), RFS_VIOLATION_KINDS);
	cr_expect_eq(planned(1, 1), 1);
	cr_expect_eq(planned(2, 50), 2);
}
