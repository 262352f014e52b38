/* pthread_thread_test.c - threads that join others, on the fake tracer. */
#include <criterion/criterion.h>

#include "policy/policy.h"
#include "supervisor/state/core/thread.h"
#include "tests/supervisor/sync/sync_run.h"

TestSuite(pthread_thread, .timeout = 60);

#define M (FAKE_MEMORY + 0x100)

/* pthread_join() waits for the end of its thread. pthread_tryjoin_np() does not wait. */
Test(pthread_thread, join)
{
	static const struct {
		const char *function;
		bool waits;
	} cases[] = {{"pthread_join", true}, {"pthread_tryjoin_np", false}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fake_step joiner[] = {{.function = cases[i].function}, {0}};
		const struct fake_step other[] = {{.function = "pthread_mutex_lock", .args = {M}}, {0}};
		const struct fake_step *const scripts[] = {joiner, other};

		sync_open(scripts, 2);
		joiner[0].args[0] = step_thread(1)->tls;
		step_go(1);
		step_go(0);
		cr_expect(step_is_at(0, RFS_OP_JOIN, 0));
		cr_expect_eq(step_thread(0)->next.peer, 1);
		cr_expect_eq(step_flags(0), cases[i].waits ? 0 : RFS_THREAD_ENABLED, "%s", cases[i].function);
		step_go(1);
		cr_expect_eq(step_thread(1)->state, RFS_STATE_ENDED);
		cr_expect_eq(step_flags(0), RFS_THREAD_ENABLED);
		step_go(0);
		cr_expect(step_thread(1)->start.joining.joined);
		step_close();
	}
}

/* A join of a thread that nobody knows, or of itself, does not wait: the library returns an error. */
Test(pthread_thread, join_of_no_other)
{
	struct fake_step joiner[] = {{.function = "pthread_join", .args = {M}}, {.function = "pthread_join"}, {0}};
	const struct fake_step *const scripts[] = {joiner};

	sync_open(scripts, 1);
	joiner[1].args[0] = step_thread(0)->tls;
	step_go(0);
	cr_expect_eq(step_thread(0)->next.peer, -1);
	cr_expect_eq(step_flags(0), RFS_THREAD_ENABLED);
	step_go(0);
	cr_expect_eq(step_thread(0)->next.peer, 0);
	cr_expect_eq(step_flags(0), RFS_THREAD_ENABLED);
	step_close();
}
