/* nondet_test.c - each kind of nondeterminism has a text that names the cause. */
#include "supervisor/record/nondet.h"

#include <criterion/criterion.h>

TestSuite(nondet, .timeout = 30);

Test(nondet, each_kind_has_a_text_of_its_own)
{
	cr_expect_null(rfs_nondet_cause(0));
	cr_expect_null(rfs_nondet_cause(1u << RFS_NONDET_KINDS));
	for (int i = 0; i < RFS_NONDET_KINDS; i++) {
		const char *cause = rfs_nondet_cause(1u << i);

		cr_assert_not_null(cause, "kind %d", i);
		for (int k = 0; k < i; k++)
			cr_expect_str_neq(cause, rfs_nondet_cause(1u << k), "kinds %d and %d", i, k);
	}
	cr_expect_str_eq(rfs_nondet_cause(1u << RFS_NONDET_KERNEL),
			 "values in /proc that change with time, such as memory in use");
	/* of several kinds, the first in the order of causes */
	cr_expect_str_eq(rfs_nondet_cause(1u << RFS_NONDET_KERNEL | 1u << RFS_NONDET_CLOCK),
			 "the real time (--clock=real)");
}
