/* order_difference_test.c - the first two operations in whose order two runs differ. */
#include "supervisor/report/text/order_difference.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/trace_file.h"
#include "supervisor/report/text/schedule_text.h"

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

/* An operation that differs may also be executed in the other run, before or after. */
Test(order_difference, the_first_operations_that_differ)
{
	static const struct {
		struct rfs_trace_entry failed[5], passed[5];
		const char *text;
	} cases[] = {
		{{OP(1, YIELD, 1), OP(3, START, 0), OP(2, LOCK, 2)},
		 {OP(1, YIELD, 1), OP(2, LOCK, 2)},
		 "[thread 3: start] comes before [thread 2: lock]"},
		{{OP(2, LOCK, 2), OP(3, START, 0), OP(2, LOCK, 2)},
		 {OP(2, LOCK, 2), OP(2, LOCK, 2)},
		 "[thread 3: start] comes before the next [thread 2: lock]"},
		{{OP(2, YIELD, 1)},
		 {OP(1, JOIN, 2), OP(2, YIELD, 1)},
		 "[thread 2: yield] is executed without [thread 1: join] before it"},
		{{OP(2, YIELD, 1)}, {OP(2, LOCK, 2)}, "[thread 2: yield] is executed, and not [thread 2: lock]"},
		{{OP(2, LOCK, 2), OP(2, YIELD, 1)},
		 {OP(2, LOCK, 2), OP(2, LOCK, 2)},
		 "operation 1 is [thread 2: yield], and not [thread 2: lock]"},
		{{OP(2, LOCK, 2)}, {OP(2, LOCK, 2)}, NULL},
	};
	static const char before[] = "unlike a run that passes: ";
	static const struct rfs_run_result result;

	for (size_t i = 0; i < SIZE(cases); i++) {
		struct rfs_schedule failed = {.result = &result, .trace = cases[i].failed},
				    passed = {.result = &result, .trace = cases[i].passed};
		char *text;

		while (failed.trace[failed.n].thread)
			failed.n++;
		while (passed.trace[passed.n].thread)
			passed.n++;
		text = rfs_order_difference_text(&failed, &passed);
		if (cases[i].text)
			cr_expect(text && strcmp(text + strlen(before), cases[i].text) == 0, "case %zu: %s", i, text);
		else
			cr_expect_null(text, "case %zu: %s", i, text);
		free(text);
	}
}
