/* order_difference_test.c - the first two operations in whose order two runs differ. */
#include "supervisor/report/text/order_difference.h"

#include <criterion/criterion.h>

#include "policy/policy.h"
#include "supervisor/record/trace_file.h"

TestSuite(order_difference, .timeout = 20);

#define OP(t, k, o)                                                                                                    \
	{                                                                                                              \
		.thread = (t), .kind = RFS_OP_##k, .name = RFS_NAME_MODULE, .offset = (o),                             \
		.site = (o)*100 + RFS_OP_##k                                                                           \
	}
#define WRITE(t, o)                                                                                                    \
	{                                                                                                              \
		.thread = (t), .kind = RFS_OP_ACCESS, .name = RFS_NAME_MODULE, .offset = (o), .site = (o), .size = 4,  \
		.access = RFS_ACCESS_WRITE                                                                             \
	}
#define READ(t, o)                                                                                                     \
	{                                                                                                              \
		.thread = (t), .kind = RFS_OP_ACCESS, .name = RFS_NAME_MODULE, .offset = (o), .site = (o) + 1,         \
		.size = 4, .access = RFS_ACCESS_READ                                                                   \
	}

#define SIZE(a) (sizeof(a) / sizeof(*(a)))

static bool compare(const struct rfs_trace_entry *failed, size_t n_failed, const struct rfs_trace_entry *passed,
		    size_t n_passed, size_t *earlier, size_t *later)
{
	const struct rfs_operations a = {failed, n_failed}, b = {passed, n_passed};

	return rfs_order_difference(&a, &b, earlier, later);
}

Test(order_difference, the_signal_before_the_wait)
{
	static const struct rfs_trace_entry failed[] =
		{
			OP(1, LOCK, 1), OP(1, COND_SIGNAL, 2), OP(1, UNLOCK, 1), OP(2, LOCK, 1), OP(2, COND_WAIT, 2),
		},
					    passed[] = {
						    OP(2, LOCK, 1),	   OP(2, COND_WAIT, 2), OP(1, LOCK, 1),
						    OP(1, COND_SIGNAL, 2), OP(1, UNLOCK, 1),
					    };
	size_t earlier, later;

	cr_assert(compare(failed, SIZE(failed), passed, SIZE(passed), &earlier, &later));
	cr_expect(earlier == 2 && later == 3, "%zu %zu", earlier, later);
}

Test(order_difference, independent_operations_do_not_count)
{
	static const struct rfs_trace_entry failed[] = {READ(1, 8), READ(2, 8), WRITE(1, 16), WRITE(2, 24),
							READ(2, 16)},
					    passed[] = {READ(2, 8), WRITE(2, 24), READ(2, 16), READ(1, 8),
							WRITE(1, 16)};
	size_t earlier, later;

	cr_assert(compare(failed, SIZE(failed), passed, SIZE(passed), &earlier, &later));
	cr_expect(earlier == 2 && later == 4, "%zu %zu", earlier, later);
}

Test(order_difference, an_operation_that_the_other_run_never_reached)
{
	static const struct rfs_trace_entry failed[] = {WRITE(1, 8), WRITE(1, 32), READ(2, 32)},
					    passed[] = {WRITE(1, 8), READ(2, 32)};
	size_t earlier, later;

	cr_assert(compare(failed, SIZE(failed), passed, SIZE(passed), &earlier, &later));
	cr_expect(earlier == 1 && later == 2);
}

Test(order_difference, equal_runs_do_not_differ)
{
	static const struct rfs_trace_entry run[] = {WRITE(1, 8), READ(2, 8), OP(1, EXIT, 0), OP(2, EXIT, 0)};
	size_t earlier, later;

	cr_expect_not(compare(run, SIZE(run), run, SIZE(run), &earlier, &later));
	cr_expect_not(compare(run, SIZE(run), NULL, 0, &earlier, &later));
	cr_expect_not(compare(NULL, 0, run, SIZE(run), &earlier, &later));
}
