/* deadlock_sentence_test.c - what a deadlock says of threads outside of a cycle, and of a signal that came too early.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "supervisor/base/alloc.h"
#include "supervisor/record/waiters.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/data/report_groups.h"
#include "supervisor/report/text/text_finding.h"

TestSuite(deadlock_sentence, .timeout = 20);

static struct rfs_report_waiter *add(struct rfs_report_deadlock *deadlock, const char *waits_for)
{
	struct rfs_report_waiter *waiter = rfs_report_add_waiter(deadlock);

	waiter->thread = (int)deadlock->n_threads - 1;
	waiter->waits_for = xstrdup(waits_for);
	return waiter;
}

static void expect(struct rfs_report *report, const char *head, const char *cause)
{
	const struct rfs_report_item item = {.deadlock = &report->deadlocks[0]};
	char *text[2] = {rfs_text_head(&item), rfs_text_cause(&item, report)};

	cr_expect_str_eq(text[0], head, "%s", text[0]);
	cr_expect_str_eq(text[1], cause, "%s", text[1]);
	free(text[0]);
	free(text[1]);
	rfs_report_release(report);
}

Test(deadlock_sentence, threads_outside_of_the_cycle_come_last)
{
	struct rfs_report report;
	struct rfs_report_deadlock *deadlock;

	rfs_report_init(&report);
	deadlock = rfs_report_add_deadlock(&report);
	add(deadlock, "the end of thread 1")->outside = true;
	add(deadlock, "lock of A, held by thread 2");
	add(deadlock, "lock of B, held by thread 1");
	expect(&report, "DEADLOCK of 2 threads",
	       "thread 1 waits for lock of A, held by thread 2; thread 2 waits for lock of B, held by thread 1; "
	       "outside "
	       "of this cycle, thread 0 waits for the end of thread 1.");
}

Test(deadlock_sentence, a_signal_that_came_too_early)
{
	struct rfs_report report;
	struct rfs_report_deadlock *deadlock;

	rfs_report_init(&report);
	deadlock = rfs_report_add_deadlock(&report);
	add(deadlock, "the end of thread 1");
	add(deadlock, "a signal of C")->sent = xstrdup("thread 2: cond-signal C at x.c:7");
	expect(&report, "DEADLOCK of 2 threads",
	       "thread 0 waits for the end of thread 1; thread 1 waits for a signal of C; the last one came when no "
	       "thread waited: [thread 2: cond-signal C at x.c:7].");
}

Test(deadlock_sentence, which_threads_are_in_a_cycle)
{
	struct rfs_waiter list[] = {{.thread = 0, .for_thread = 1},  {.thread = 1, .for_thread = 3},
				    {.thread = 3, .for_thread = 1},  {.thread = 4, .for_thread = 0},
				    {.thread = 5, .for_thread = -1}, {.thread = 6, .for_thread = 5}};
	static const enum rfs_waits_cycle wanted[] = {RFS_WAITS_OUTSIDE, RFS_WAITS_IN,	 RFS_WAITS_IN,
						      RFS_WAITS_OUTSIDE, RFS_WAITS_NONE, RFS_WAITS_NONE};
	const struct rfs_waiters waiters = {list, sizeof(list) / sizeof(*list)};

	for (size_t i = 0; i < waiters.n; i++)
		cr_expect_eq(rfs_waits_cycle(&waiters, &list[i]), wanted[i], "thread %d", list[i].thread);
}
