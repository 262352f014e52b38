/* violation_trace_test.c - which violations took place in a run with this trace. */
#include "supervisor/campaign/predicted/violation_trace.h"

#include <criterion/criterion.h>

#include "policy/policy.h"
#include "supervisor/base/site.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/trace_file.h"
#include "supervisor/record/violation.h"

TestSuite(violation_trace, .timeout = 20);

static char program[] = "/p";

#define AT(t, o)                                                                                                       \
	{                                                                                                              \
		.thread = (t), .kind = RFS_OP_ACCESS, .site = 1ull << RFS_SITE_SHIFT | (o)                             \
	}
#define ACCESS(t, o)                                                                                                   \
	{                                                                                                              \
		.thread = (t), .site = {.module = program, .offset = (o) }                                             \
	}

Test(violation_trace, the_operations_are_in_the_order_of_the_violation)
{
	static struct rfs_run_module modules[] = {{.path = program}};
	const struct rfs_run_result result = {.modules = modules, .n_modules = 1};
	/* the second thread writes between the first access of the first thread and its next one */
	static const struct rfs_trace_entry trace[] = {
		AT(1, 10), AT(2, 20), AT(1, 11), AT(1, 12), {.thread = 2, .kind = RFS_OP_EXIT}, AT(1, 13),
	};
	static const struct {
		struct rfs_violation violation;
		bool is_in;
	} cases[] = {
		{{.first = ACCESS(1, 10), .remote = ACCESS(2, 20), .second = ACCESS(1, 11)}, true},
		{{.first = ACCESS(1, 10), .remote = ACCESS(-1, 20), .second = ACCESS(1, 12)}, true},
		{{.first = ACCESS(1, 11), .remote = ACCESS(2, 20), .second = ACCESS(1, 12)}, false},
		{{.first = ACCESS(1, 10), .remote = ACCESS(3, 20), .second = ACCESS(1, 11)}, false},
		{{.first = ACCESS(1, 10), .remote = ACCESS(2, 21), .second = ACCESS(1, 11)}, false},
		{{.pattern = RFS_ORDER_USE_EXIT, .first = ACCESS(1, 13), .remote = ACCESS(2, 9)}, true},
		{{.pattern = RFS_ORDER_USE_EXIT, .first = ACCESS(1, 12), .remote = ACCESS(2, 9)}, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_expect_eq(
			rfs_violation_is_in_trace(&cases[i].violation, &result, trace, sizeof(trace) / sizeof(*trace)),
			cases[i].is_in, "case %zu", i);
}
