/* server_copy_test.c - the run of a copy begins where the run of the original stands, on the fake tracer. */
#include <criterion/criterion.h>

#include "disasm/insn/insn.h"
#include "policy/policy.h"
#include "supervisor/access/stubs.h"
#include "supervisor/kernel/ids/pids.h"
#include "supervisor/kernel/kernel.h"
#include "supervisor/model/sync.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/run/run_life.h"
#include "supervisor/run/run_release.h"
#include "supervisor/server/server-priv.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/operations/trace.h"
#include "tests/supervisor/fake_tracer/stepped_run.h"
#include "tracer/tracer.h"

TestSuite(server_copy, .timeout = 60);

#define LOCK UINT64_C(0x1000)

static void open_original(struct rfs_run *run)
{
	cr_assert_eq(rfs_decoder_new(&run->decoder), 0);
	rfs_stubs_init(run);
	rfs_kernel_init(run);
}

static void begin_thread(struct rfs_run *run, struct rfs_thread *thread)
{
	thread->tid = thread->sync.tid = rfs_pids_add(run, rfs_task_tid(thread->task));
	rfs_kernel_thread_init(thread);
}

static void close_original(struct rfs_run *run)
{
	for (size_t i = 0; i < run->n_threads; i++)
		rfs_kernel_thread_release(run->threads[i]);
	rfs_kernel_release(run);
	rfs_stubs_release(run);
	rfs_decoder_free(run->decoder);
}

Test(server_copy, begins_where_the_original_stands)
{
	static const struct step_room room = {open_original, begin_thread, NULL, close_original};
	static const struct fake_step script[] = {{0}};
	static const struct fake_step *const scripts[] = {script, script};
	static const struct rfs_policy_ops policy = {.abi = RFS_POLICY_ABI, .name = "test"};
	const struct rfs_run_spec spec = {.policy = &policy, .accesses = RFS_ACCESSES_TRAPS, .cancel_fd = -1};
	struct rfs_run_result after;
	struct rfs_run *original, copy;
	struct rfs_sync_thread *first, *second;
	enum rfs_op_kind kind;
	struct rfs_task *task;
	char why[256];

	step_open(scripts, 1, &room);
	original = step_run();
	/* what the program did before main */
	first = &original->threads[0]->sync;
	first->cancel_disabled = true;
	rfs_sync_acquire(first, LOCK, RFS_OP_LOCK);
	cr_assert(rfs_sync_release_lock(first, LOCK, &kind));
	original->time.now = 5000;
	original->result->counts.steps = 7;
	rfs_run_warn(original, "a warning");

	task = fake_thread(1);
	rfs_run_init(&copy, &spec, &after);
	copy.served.as = RFS_SERVED_COPY;
	copy.decoder = original->decoder;
	copy.tracer = fake_tracer();
	cr_assert_eq(rfs_trace_open(&copy, why, sizeof(why)), 0, "%s", why);
	rfs_run_copy(original, task, &copy);
	cr_assert_eq(copy.n_threads, 1);
	cr_expect_eq(copy.threads[0]->task, task);
	second = &copy.threads[0]->sync;
	cr_expect(second->cancel_disabled);
	cr_expect_eq(second->tid, copy.threads[0]->tid);
	cr_expect_eq(copy.sync.n_threads, 1);
	cr_expect_eq(copy.time.now, 5000);
	cr_expect_eq(after.counts.steps, 7);
	cr_assert_eq(after.n_warnings, 1);
	cr_expect_str_eq(after.warnings[0], "a warning");
	/* from here on, each has its own life */
	for (size_t i = 0; i < 100; i++)
		rfs_sync_acquire(second, LOCK + i, RFS_OP_LOCK);
	cr_expect_eq(second->n_holds, 100);
	cr_expect_eq(first->n_holds, 0);
	rfs_run_release(&copy);
	step_close();
	rfs_run_result_release(&after);
}
