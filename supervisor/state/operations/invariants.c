/* invariants.c - checks the state of a run before each choice, and prints it for RFS_BUG(). */
#include "supervisor/state/operations/invariants.h"

#include <inttypes.h>

#include "policy/policy.h"
#include "supervisor/base/error.h"
#include "supervisor/base/path.h"
#include "supervisor/base/site.h"
#include "supervisor/record/run_result.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/operations/trace.h"

/* ---- dump ---- */

static void dump_site(const struct rfs_run *run, rfs_site site, FILE *out)
{
	uint64_t vaddr;
	size_t module;

	if (rfs_site_split(site, &module, &vaddr) && module < run->n_modules)
		fprintf(out, " at %s+0x%" PRIx64, rfs_base_name(run->modules[module]->path), vaddr);
}

static void dump_operation(const struct rfs_run *run, const struct rfs_op *op, FILE *out)
{
	fprintf(out, " %s", rfs_op_name(op->kind));
	if (op->object)
		fprintf(out, " 0x%" PRIx64, op->object);
	if (op->peer >= 0)
		fprintf(out, " of thread %d", op->peer);
	dump_site(run, op->site, out);
}

static void dump_thread(const struct rfs_run *run, const struct rfs_thread *thread, FILE *out)
{
	static const char *const states[] = {
		[RFS_STATE_EMBRYO] = "not started",
		[RFS_STATE_PARKED] = "parked before",
		[RFS_STATE_RUNNING] = "running, after",
		[RFS_STATE_KERNEL] = "in the kernel, after",
		[RFS_STATE_ENDED] = "ended",
	};

	fprintf(out, "thread %d (%d): %s", thread->number, (int)thread->tid, states[thread->state]);
	if (thread->state != RFS_STATE_EMBRYO && thread->state != RFS_STATE_ENDED)
		dump_operation(run, &thread->next, out);
	for (size_t i = 0; i < thread->sync.n_holds; i++)
		fprintf(out, "%s 0x%" PRIx64 " (%s, %u)", i ? "," : ", holds", thread->sync.holds[i].lock,
			rfs_op_name(thread->sync.holds[i].kind), thread->sync.holds[i].count);
	fputc('\n', out);
}

void rfs_run_dump(const struct rfs_run *run, FILE *out)
{
	fprintf(out, "run: %" PRIu64 " operations, virtual time %" PRIu64 " ns, last choice thread %d, ",
		run->result->counts.steps, run->time.now, run->current);
	if (run->running)
		fprintf(out, "thread %d running\n", run->running->number);
	else
		fputs("no thread running\n", out);
	for (size_t i = 0; i < run->n_threads; i++)
		dump_thread(run, run->threads[i], out);
}

static void dump_to_stderr(void *run)
{
	rfs_run_dump(run, stderr);
}

void rfs_run_dump_on_bug(struct rfs_run *run)
{
	rfs_bug_set_dump(run ? dump_to_stderr : NULL, run);
}

/* ---- checks ---- */

static void check_holds(const struct rfs_thread *thread)
{
	for (size_t i = 0; i < thread->sync.n_holds; i++) {
		const struct rfs_hold *hold = &thread->sync.holds[i];

		if (hold->count == 0 ||
		    (hold->kind != RFS_OP_LOCK && hold->kind != RFS_OP_RDLOCK && hold->kind != RFS_OP_WRLOCK))
			RFS_BUG("thread %d has an invalid hold of lock 0x%" PRIx64
				": %u times, acquired by operation %s",
				thread->number, hold->lock, hold->count, rfs_op_name(hold->kind));
		for (size_t k = 0; k < i; k++)
			if (thread->sync.holds[k].lock == hold->lock)
				RFS_BUG("thread %d has two entries for lock 0x%" PRIx64, thread->number, hold->lock);
	}
}

static void check_thread(const struct rfs_run *run, const struct rfs_thread *thread)
{
	/* Other threads may be in state RUNNING too, if they return from a call that rfsup does not schedule. */
	if (thread == run->running && thread->state != RFS_STATE_RUNNING)
		RFS_BUG("thread %d is in state %d, and the running thread is %d", thread->number, (int)thread->state,
			run->running ? run->running->number : -1);
	if (thread->state == RFS_STATE_PARKED &&
	    (!thread->task || !thread->ready || !thread->go || thread->next.kind == RFS_OP_NONE ||
	     thread->next.kind >= RFS_OP_COUNT))
		RFS_BUG("thread %d is parked without an operation", thread->number);
	check_holds(thread);
}

void rfs_invariants_check(struct rfs_run *run)
{
	uint64_t position = rfs_trace_position(run);

	for (size_t i = 0; i < run->n_threads; i++)
		check_thread(run, run->threads[i]);
	if (run->result->counts.steps < run->checked.steps || position < run->checked.position ||
	    position < run->result->counts.steps)
		RFS_BUG("the counts of operations and trace entries do not fit: %" PRIu64 " and %" PRIu64
			"; at the last check %" PRIu64 " and %" PRIu64,
			run->result->counts.steps, position, run->checked.steps, run->checked.position);
	run->checked.steps = run->result->counts.steps;
	run->checked.position = position;
}
