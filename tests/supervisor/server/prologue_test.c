/* prologue_test.c - what happened before main is told to the policy of each copy. */
#include "supervisor/server/prologue.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/addr.h"
#include "policy/core/cycle_place.h"
#include "policy/core/hint.h"
#include "policy/policy.h"

TestSuite(prologue, .timeout = 20);

static struct rfs_thread_view thread_view(unsigned flags, rfs_site site)
{
	return (struct rfs_thread_view){.flags = flags, .next = {.kind = RFS_OP_LOCK, .site = site, .peer = -1}};
}

/* The state of a prologue policy that was told an event, then picked twice, then was told another event. */
static void *told(const struct rfs_policy_ops *prologue, unsigned flags)
{
	const struct rfs_thread_view threads[2] = {thread_view(flags, 7), thread_view(RFS_THREAD_ENABLED, 8)};
	struct rfs_event event = {.kind = RFS_EVENT_THREAD, .op = {.peer = -1}};
	void *state;

	cr_assert_eq(prologue->init(&state, NULL), 0);
	prologue->event(state, &event);
	for (uint64_t i = 0; i < 2; i++) {
		const struct rfs_view view = {.step = i, .n_threads = 1, .threads = &threads[i]};
		struct rfs_choice choice = {.thread = -1};

		cr_assert_eq(prologue->pick(state, &view, &choice), 0);
		cr_expect_eq(choice.thread, 0);
	}
	event.kind = RFS_EVENT_OP;
	prologue->event(state, &event);
	return state;
}

/* A policy that records the calls that it gets. wants_stack, takes_timeouts and hint decide how it picks. */
struct seen {
	char text[64];
	bool wants_stack, takes_timeouts;
	uint32_t hint;
};

static int pick(void *state, const struct rfs_view *view, struct rfs_choice *out)
{
	struct seen *seen = state;
	size_t n = strlen(seen->text);
	rfs_addr stack[1];

	if (seen->wants_stack)
		view->stack(view, 0, stack, 1);
	seen->text[n] = (char)('0' + view->threads[0].next.site);
	out->thread = 0;
	out->hint = seen->hint;
	out->outcome = seen->takes_timeouts ? RFS_OUTCOME_TIMED_OUT : RFS_OUTCOME_DONE;
	return 0;
}

static void event(void *state, const struct rfs_event *event_seen)
{
	struct seen *seen = state;

	seen->text[strlen(seen->text)] = event_seen->kind == RFS_EVENT_THREAD ? 't' : 'o';
}

static const struct rfs_policy_ops writer = {.pick = pick, .event = event};

Test(prologue, is_told_again_in_order)
{
	struct rfs_policy_ops prologue = rfs_prologue_policy(RFS_POLICY_NEEDS_HEAP);
	void *state = told(&prologue, RFS_THREAD_ENABLED);
	struct rfs_hint hint;

	cr_expect_eq(prologue.flags, RFS_POLICY_NEEDS_HEAP);
	cr_expect(rfs_prologue_complete(state));
	for (int i = 0; i < 2; i++) {
		struct seen seen = {0};

		cr_expect(rfs_prologue_tell(state, &writer, &seen, &hint));
		cr_expect_str_eq(seen.text, "t78o");
	}
	prologue.fini(state);
}

/* A policy that looks where the thread is in the deadlock under test. */
static int pick_at_inner(void *state, const struct rfs_view *view, struct rfs_choice *out)
{
	const struct rfs_cycle_place *place = view->threads[0].cycle;
	struct seen *seen = state;

	seen->text[strlen(seen->text)] = (char)('0' + place->inner);
	seen->text[strlen(seen->text)] = (char)('0' + place->held[0]);
	out->thread = 0;
	out->outcome = RFS_OUTCOME_DONE;
	return 0;
}

Test(prologue, keeps_where_the_thread_was_in_the_deadlock_under_test)
{
	const struct rfs_policy_ops looker = {.pick = pick_at_inner};
	struct rfs_policy_ops prologue = rfs_prologue_policy(0);
	rfs_addr held[1] = {5};
	struct rfs_cycle_place place = {.n_parts = 2, .inner = 1, .held = held, .n_held = 1};
	struct rfs_thread_view thread = thread_view(RFS_THREAD_ENABLED, 7);
	const struct rfs_view view = {.n_threads = 1, .threads = &thread};
	struct seen seen = {0};
	struct rfs_choice choice;
	struct rfs_hint hint;
	void *state;

	thread.cycle = &place;
	cr_assert_eq(prologue.init(&state, NULL), 0);
	cr_expect_eq(prologue.pick(state, &view, &choice), 0);
	place.inner = 2; /* the run uses the memory again */
	held[0] = 6;
	cr_expect_eq(prologue.pick(state, &view, &choice), 0);
	place.inner = 3;
	cr_expect(rfs_prologue_tell(state, &looker, &seen, &hint));
	cr_expect_str_eq(seen.text, "1526");
	prologue.fini(state);
}

Test(prologue, a_policy_that_goes_another_way_is_found_out)
{
	struct rfs_policy_ops prologue = rfs_prologue_policy(0);
	struct seen stack = {.wants_stack = true}, timeouts = {.takes_timeouts = true};
	struct rfs_hint hint;
	void *state = told(&prologue, RFS_THREAD_ENABLED);

	cr_expect_not(rfs_prologue_tell(state, &writer, &stack, &hint));
	cr_expect_not(rfs_prologue_tell(state, &writer, &timeouts, &hint));
	prologue.fini(state);
}

Test(prologue, a_timeout_that_nothing_else_was_left_but_is_taken)
{
	struct rfs_policy_ops prologue = rfs_prologue_policy(0);
	struct seen done = {0}, timeouts = {.takes_timeouts = true};
	struct rfs_hint hint;
	void *state = told(&prologue, RFS_THREAD_CAN_TIME_OUT);

	/* for the second pick a thread was enabled, so a timeout was not the only possibility */
	cr_expect_not(rfs_prologue_tell(state, &writer, &done, &hint));
	cr_expect_not(rfs_prologue_tell(state, &writer, &timeouts, &hint));
	prologue.fini(state);
}

Test(prologue, more_than_one_thread_is_too_much)
{
	struct rfs_policy_ops prologue = rfs_prologue_policy(0);
	const struct rfs_thread_view threads[2] = {thread_view(RFS_THREAD_ENABLED, 7),
						   thread_view(RFS_THREAD_ENABLED, 8)};
	const struct rfs_view view = {.n_threads = 2, .threads = threads};
	struct rfs_choice choice = {.thread = -1};
	void *state;

	cr_assert_eq(prologue.init(&state, NULL), 0);
	cr_expect_eq(prologue.pick(state, &view, &choice), 0);
	cr_expect_eq(choice.thread, 0);
	cr_expect_not(rfs_prologue_complete(state));
	prologue.fini(state);
}

Test(prologue, more_than_can_be_kept_is_too_much)
{
	struct rfs_policy_ops prologue = rfs_prologue_policy(0);
	const struct rfs_event event_seen = {.kind = RFS_EVENT_OP};
	void *state;

	cr_assert_eq(prologue.init(&state, NULL), 0);
	for (int i = 0; i < 16384; i++)
		prologue.event(state, &event_seen);
	cr_expect(rfs_prologue_complete(state));
	prologue.event(state, &event_seen);
	cr_expect_not(rfs_prologue_complete(state));
	prologue.fini(state);
}

Test(prologue, a_hint_holds_over_its_end)
{
	static const struct {
		uint32_t given, left;
		const char *text; /* calls: t thread event, 7 or 8 a pick with this site, o operation event */
	} cases[] = {{0, 0, "t78o"}, {1, 0, "t7o"}, {5, 4, "t7o"}};
	struct rfs_policy_ops prologue = rfs_prologue_policy(0);
	void *state = told(&prologue, RFS_THREAD_ENABLED);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct seen seen = {.hint = cases[i].given};
		struct rfs_hint hint;

		cr_expect(rfs_prologue_tell(state, &writer, &seen, &hint));
		cr_expect_str_eq(seen.text, cases[i].text);
		cr_expect_eq(hint.left, cases[i].left);
	}
	prologue.fini(state);
}

Test(prologue, a_hint_is_void_where_a_thread_cannot_simply_go_on)
{
	static const struct rfs_hint plain = {.left = 1}, steady = {.left = 1, .steady = true}, none = {0};
	static const struct {
		unsigned flags;
		struct rfs_op next;
		bool holds, holds_steady; /* if a thread waits for a signal */
	} cases[] = {
		{0, {.kind = RFS_OP_LOCK}, false, false},
		{RFS_THREAD_ENABLED, {.kind = RFS_OP_LOCK}, true, true},
		{RFS_THREAD_ENABLED | RFS_THREAD_YIELDED, {.kind = RFS_OP_LOCK}, false, false},
		{RFS_THREAD_ENABLED | RFS_THREAD_SLEEPS, {.kind = RFS_OP_SLEEP}, false, false},
		{RFS_THREAD_CAN_TIME_OUT, {.kind = RFS_OP_COND_WAKE}, false, false},
		{RFS_THREAD_ENABLED | RFS_THREAD_CAN_TIME_OUT, {.kind = RFS_OP_LOCK}, false, false},
		{RFS_THREAD_ENABLED | RFS_THREAD_CAN_TIME_OUT | RFS_THREAD_READY, {.kind = RFS_OP_LOCK}, true, false},
		{RFS_THREAD_ENABLED | RFS_THREAD_WOKEN, {.kind = RFS_OP_COND_WAKE}, true, true},
		{RFS_THREAD_ENABLED, {.kind = RFS_OP_COND_SIGNAL}, true, false},
		{RFS_THREAD_ENABLED, {.kind = RFS_OP_COND_BROADCAST}, true, true},
		{RFS_THREAD_ENABLED, {.kind = RFS_OP_FUTEX_WAKE}, true, false},
		{RFS_THREAD_ENABLED, {.kind = RFS_OP_ACCESS}, true, true},
		{RFS_THREAD_ENABLED, {.kind = RFS_OP_ACCESS, .statements = 2}, true, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct rfs_thread_view view = {.flags = cases[i].flags, .next = cases[i].next};

		cr_expect_eq(rfs_hint_holds(&plain, &view, true), cases[i].holds, "%zu", i);
		cr_expect_eq(rfs_hint_holds(&steady, &view, true), cases[i].holds_steady, "%zu, steady", i);
		cr_expect_not(rfs_hint_holds(&none, &view, true), "%zu, none", i);
		cr_expect_eq(rfs_hint_holds(&steady, &view, false),
			     cases[i].holds_steady || cases[i].next.kind == RFS_OP_COND_SIGNAL, "%zu, nobody waits", i);
	}
}
