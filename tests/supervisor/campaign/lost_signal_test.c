/* lost_signal_test.c - which signal a thread has missed that waits at the end of a run. */
#include "supervisor/campaign/output/lost_signal.h"

#include <criterion/criterion.h>

#include "policy/policy.h"
#include "supervisor/record/trace_file.h"

TestSuite(lost_signal, .timeout = 20);

#define OP(t, k, o)                                                                                                    \
	{                                                                                                              \
		.thread = (t), .kind = RFS_OP_COND_##k, .name = RFS_NAME_HEAP, .offset = (o)                           \
	}
#define NONE 99

Test(lost_signal, came_when_no_thread_waited)
{
	static const struct {
		struct rfs_trace_entry trace[7];
		size_t lost;
	} cases[] = {
		{{OP(1, SIGNAL, 8), OP(2, WAIT, 8)}, 0},
		{{OP(1, SIGNAL, 16), OP(2, WAIT, 8)}, NONE},
		{{OP(2, WAIT, 8)}, NONE},
		/* another thread has waited, and may have taken the signal */
		{{OP(3, WAIT, 8), OP(1, SIGNAL, 8), OP(2, WAIT, 8)}, NONE},
		{{OP(2, WAIT, 8), OP(3, WAIT, 8), OP(1, SIGNAL, 8), OP(3, WAKE, 8)}, NONE},
		/* an earlier signal had an effect, and the last one had none */
		{{OP(2, WAIT, 8), OP(1, SIGNAL, 8), OP(2, WAKE, 8), OP(1, BROADCAST, 8), OP(2, WAIT, 8)}, 3},
		/* the thread does not sleep */
		{{OP(1, SIGNAL, 8), OP(2, WAIT, 8), OP(2, WAKE, 8)}, NONE},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t n = 0, lost;

		while (cases[i].trace[n].thread)
			n++;
		lost = rfs_lost_signal(cases[i].trace, n, 2);
		cr_expect_eq(lost, cases[i].lost == NONE ? n : cases[i].lost, "case %zu: %zu", i, lost);
	}
}
