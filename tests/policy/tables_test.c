/* tables_test.c - names, the registry and options: how an external policy is found, and which arguments it gets. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "policy/core/options.h"
#include "policy/policy.h"
#include "policy/registry.h"

TestSuite(tables, .timeout = 20);

Test(tables, every_operation_has_a_name_of_its_own)
{
	for (int a = 0; a < RFS_OP_COUNT; a++) {
		cr_assert_not_null(rfs_op_name(a), "%d", a);
		cr_expect_str_neq(rfs_op_name(a), "?");
		for (int b = 0; b < a; b++)
			cr_expect_str_neq(rfs_op_name(a), rfs_op_name(b));
	}
	cr_expect_str_eq(rfs_op_name(RFS_OP_COND_WAIT), "cond-wait");
	cr_expect_str_eq(rfs_op_name(RFS_OP_COUNT), "?");
}

Test(tables, policies_are_complete_and_found_by_name)
{
	const struct rfs_policy_ops *const *list = rfs_policy_list();
	size_t n = 0;

	for (; list[n]; n++) {
		cr_expect_eq(list[n]->abi, RFS_POLICY_ABI);
		cr_expect(list[n]->name && list[n]->summary && list[n]->init && list[n]->pick);
		cr_expect_eq(rfs_policy_find(list[n]->name), list[n]);
	}
	cr_expect_geq(n, 2);
	cr_expect_not_null(rfs_policy_find("random"));
	cr_expect(rfs_policy_find("racefuzzer")->flags & RFS_POLICY_NEEDS_PAIR);
	cr_expect_null(rfs_policy_find("Random"));
	cr_expect_null(rfs_policy_find(""));
}

Test(tables, detectors_are_complete_and_found_by_name)
{
	const struct rfs_detector_ops *const *list = rfs_detector_list();

	for (size_t i = 0; list[i]; i++) {
		cr_expect_eq(list[i]->abi, RFS_POLICY_ABI);
		cr_expect(list[i]->name && list[i]->summary && list[i]->init && list[i]->event && list[i]->report);
		cr_expect_eq(rfs_detector_find(list[i]->name), list[i]);
	}
	cr_expect_not_null(rfs_detector_find("hybrid"));
	cr_expect_null(rfs_detector_find("none"));
}

Test(tables, options_are_read_whole_or_refused)
{
	static const struct {
		const char *text;
		int result;
		uint64_t one, two;
		bool two_given;
	} table[] = {
		{NULL, 0, 11, 22, false},
		{"", 0, 11, 22, false},
		{"one=5", 0, 5, 22, false},
		{"two=0,one=18446744073709551615", 0, UINT64_MAX, 0, true},
		{"one=18446744073709551616", -EINVAL, 11, 22, false},
		{"one=", -EINVAL, 11, 22, false},
		{"one", -EINVAL, 11, 22, false},
		{"one=-1", -EINVAL, 11, 22, false},
		{"one= 1", -EINVAL, 11, 22, false},
		{"one=0x1", -EINVAL, 11, 22, false},
		{"three=1", -EINVAL, 11, 22, false},
		{"on=1", -EINVAL, 11, 22, false},
		{"=1", -EINVAL, 11, 22, false},
		{"one=1,one=2", -EINVAL, 1, 22, false},
		{"one=1,", -EINVAL, 1, 22, false},
		{",one=1", -EINVAL, 11, 22, false},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		uint64_t one = 11, two = 22;
		bool two_given = false;
		const struct rfs_policy_option options[] = {{"one", &one, NULL}, {"two", &two, &two_given}};

		cr_expect_eq(rfs_policy_options_parse(table[i].text, options, 2), table[i].result, "%s", table[i].text);
		cr_expect_eq(one, table[i].one, "%s", table[i].text);
		cr_expect_eq(two, table[i].two, "%s", table[i].text);
		cr_expect_eq(two_given, table[i].two_given, "%s", table[i].text);
	}
}

Test(tables, policies_refuse_options_that_they_do_not_know)
{
	static const struct {
		const char *policy, *options;
		int result;
	} table[] = {
		{"random", "", 0},
		{"random", "patience=1", -EINVAL},
		{"racefuzzer", "patience=1,flip=0,continue=3,skip=100", 0},
		{"racefuzzer", "keep=2,continue=3,last=1", 0},
		{"racefuzzer", "flip=2,last=1", 0},
		{"racefuzzer", "flip=2,keep=2", -EINVAL},
		{"racefuzzer", "last=1", -EINVAL},
		{"racefuzzer", "continue=3", -EINVAL},
		{"racefuzzer", "skip=101", -EINVAL},
		{"racefuzzer", "flip=x", -EINVAL},
		{"rapos", "patience=5", 0},
		{"rapos", "depth=3", -EINVAL},
		{"pct", "depth=1,steps=1", 0},
		{"pct", "depth=100,patience=0", 0},
		{"pct", "depth=0", -EINVAL},
		{"pct", "depth=101", -EINVAL},
		{"pct", "steps=0", -EINVAL},
		{"pos", "patience=5", 0},
		{"pos", "x=5", -EINVAL},
		{"atom", "patience=5", 0},
		{"atom", "depth=2", -EINVAL},
		{"schedule", "first=1,first_at=2,second=3,second_at=4,order=1,continue=5", 0},
		{"schedule", "first=1,first_at=2,order=2", 0},
		{"schedule", "first=1,first_at=2", -EINVAL},
		{"schedule", "second=1,order=1", -EINVAL},
		{"delay", "order=3,bound=2,early=1,patience=5", 0},
		{"delay", "order=4", -EINVAL},
		{"delay", "early=3", -EINVAL},
		{"delay", "patience=0", -EINVAL},
		{"sweep", "bound=1,patience=5,base=2", 0},
		{"sweep", "base=3", -EINVAL},
		{"sweep", "bound=0", -EINVAL},
		{"sweep", "bound=3", -EINVAL},
		{"sweep", "patience=0", -EINVAL},
		{"deadlock", "patience=5", 0},
		{"deadlock", "flip=1", -EINVAL},
		{"surw", "patience=5", 0},
		{"surw", "object=1", -EINVAL},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		const struct rfs_policy_ops *policy = rfs_policy_find(table[i].policy);
		const struct rfs_policy_args args = {.options = table[i].options};
		void *state = NULL;
		int result = policy->init(&state, &args);

		cr_expect_eq(result, table[i].result, "%s %s", table[i].policy, table[i].options);
		if (result == 0)
			policy->fini(state);
		else
			cr_expect_null(state);
	}
}
