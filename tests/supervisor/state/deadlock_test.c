/* deadlock_test.c - what a report knows of threads that do not go on: what each of them waits for, and for whom. */
#include "supervisor/state/findings/deadlock.h"

#include <criterion/criterion.h>

#include "supervisor/base/site.h"
#include "supervisor/model/word_lock.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/record/waiters.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/operations/park.h"

TestSuite(deadlock, .timeout = 30);

/* Only compared with NULL, never read. */
static struct rfs_task *const some_task = (struct rfs_task *)&some_task;

/* A thread that yields or accesses memory waits for no holder, unless it has tried to acquire a word that is held. */
Test(deadlock, who_only_yields_or_spins_waits_for_nobody)
{
	static const enum rfs_op_kind kinds[] = {RFS_OP_YIELD, RFS_OP_ACCESS, RFS_OP_SPIN_READ};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct rfs_run_spec spec = {0};
		struct rfs_run_result result = {0};
		struct rfs_thread thread = {.task = some_task, .state = RFS_STATE_PARKED}, *threads[] = {&thread};
		struct rfs_run run = {.spec = &spec, .result = &result, .threads = threads, .n_threads = 1};
		struct rfs_word_locks locks = {0};
		struct rfs_waiters waiters;

		rfs_word_locks_init(&locks, NULL, NULL);
		run.word_locks = &locks;
		thread.next = rfs_op_make(kinds[i], rfs_site_make(0, 0x1189), 0x4040);
		rfs_describe_threads(&run, &waiters);
		cr_assert_eq(waiters.n, 1);
		cr_expect_eq(waiters.list[0].for_thread, -1, "kind %d: thread %d", (int)kinds[i],
			     waiters.list[0].for_thread);
		rfs_waiters_release(&waiters);
		rfs_word_locks_release(&locks);
	}
}
