/* window_test.c - outside of the window of a run, the detector gets what orders accesses, but no plain ones. */
#include <criterion/criterion.h>
#include <stdint.h>

#include "policy/policy.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/stream.h"
#include "supervisor/state/operations/events.h"

TestSuite(window, .timeout = 20);

static void count_event(void *state, const struct rfs_event *event)
{
	size_t *counts = state;

	counts[event->kind == RFS_EVENT_ACCESS]++;
}

static const struct rfs_detector_ops counter = {.event = count_event};

/* How many of four accesses (plain, plain, atomic, free) and of one lock the detector gets after so many operations. */
static void tell(struct rfs_run_window window, uint64_t steps, size_t counts[2])
{
	static const unsigned kinds[] = {RFS_ACCESS_READ, RFS_ACCESS_WRITE, RFS_ACCESS_READ | RFS_ACCESS_ATOMIC,
					 RFS_ACCESS_FREE};
	struct rfs_run_spec spec = {.window = window};
	struct rfs_run_result result = {.counts.steps = steps};
	struct rfs_run run = {.spec = &spec, .result = &result};
	struct rfs_event event = {.op = {.peer = -1, .size = 8}};

	counts[0] = counts[1] = 0;
	run.stream = rfs_stream_new(&counter, counts, NULL);
	for (size_t i = 0; i < 4; i++) {
		event.kind = RFS_EVENT_ACCESS;
		event.op.kind = RFS_OP_ACCESS;
		event.op.access = kinds[i];
		event.op.object = 0x1000 + 64 * i;
		rfs_emit(&run, &event);
	}
	event.kind = RFS_EVENT_ACQUIRE;
	event.op.kind = RFS_OP_LOCK;
	rfs_emit(&run, &event);
	rfs_stream_drain(run.stream);
	rfs_stream_free(run.stream);
}

Test(window, hides_plain_accesses_outside)
{
	static const struct {
		struct rfs_run_window window;
		uint64_t steps;
		size_t accesses;
	} cases[] = {{{0, 0}, 5, 4}, {{10, 20}, 9, 2}, {{10, 20}, 10, 4}, {{10, 20}, 19, 4}, {{10, 20}, 20, 2}};
	size_t counts[2];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		tell(cases[i].window, cases[i].steps, counts);
		cr_expect_eq(counts[1], cases[i].accesses, "case %zu: %zu accesses", i, counts[1]);
		cr_expect_eq(counts[0], 1, "locks count everywhere");
	}
}
