/* thread.c - the threads of a run: how they end, and how they are found. */
#include "supervisor/state/core/thread.h"

#include <stdlib.h>
#include <string.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/base/memory_name.h"
#include "supervisor/model/sync.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/virtual_time.h"
#include "tracer/tracer.h"
#include "tracer/unwind.h"

#define INTERRUPTED_FRAMES 64

void rfs_thread_ended(struct rfs_run *run, struct rfs_thread *thread)
{
	if (thread->state == RFS_STATE_ENDED)
		return;
	thread->state = RFS_STATE_ENDED;
	thread->deadline = RFS_NEVER;
	rfs_sync_thread_ended(&thread->sync);
	rfs_access_drop(thread);
	if (run->running == thread)
		run->running = NULL;
}

/* The stack of the task begins with the handler that interrupts the thread. */
static size_t interrupted_stack(const struct rfs_thread *thread, rfs_addr *out, size_t max)
{
	rfs_addr whole[INTERRUPTED_FRAMES];
	size_t n = rfs_task_stack(thread->task, whole, INTERRUPTED_FRAMES), begin = 0;

	while (begin < n && whole[begin] != thread->handler.by->handler.rip)
		begin++;
	if (begin == n)
		begin = 0;
	n = n - begin < max ? n - begin : max;
	memcpy(out, whole + begin, n * sizeof(*out));
	return n;
}

size_t rfs_thread_stack(const struct rfs_thread *thread, rfs_addr *out, size_t max)
{
	if (!thread->task || !max)
		return 0;
	if (thread->state == RFS_STATE_KERNEL) {
		max = max < thread->n_stack ? max : thread->n_stack;
		memcpy(out, thread->stack, max * sizeof(*out));
		return max;
	}
	if (thread->handler.by)
		return interrupted_stack(thread, out, max);
	if (!rfs_cond_asleep(thread))
		return rfs_task_stack(thread->task, out, max);
	out[0] = thread->cond_call.function;
	return 1 + rfs_task_stack_at(thread->task, thread->cond_call.back, out + 1, max - 1);
}

bool rfs_thread_frame_at(const struct rfs_thread *thread, rfs_addr code, rfs_addr address, struct rfs_stack_frame *out)
{
	if (!thread->task || !rfs_task_frame_at(thread->task, code, rfs_memory_address(address), out))
		return false;
	out->cfa += address - rfs_memory_address(address);
	return true;
}

bool rfs_thread_frame(const struct rfs_thread *thread, rfs_addr address, struct rfs_stack_frame *out)
{
	if (thread->state != RFS_STATE_PARKED || !thread->task)
		return false;
	return rfs_thread_frame_at(thread,
				   rfs_cond_asleep(thread) ? thread->cond_call.back : rfs_task_regs(thread->task)->rip,
				   address, out);
}

struct rfs_thread *rfs_thread_by_tid(const struct rfs_run *run, pid_t tid)
{
	for (size_t i = 0; i < run->n_threads; i++)
		if (run->threads[i]->tid == tid && run->threads[i]->state != RFS_STATE_ENDED &&
		    !run->threads[i]->handler.signo)
			return run->threads[i];
	return NULL;
}

/* Returns the newest thread, because the C library reuses the descriptors of ended threads. */
struct rfs_thread *rfs_thread_by_tls(const struct rfs_run *run, uint64_t tls)
{
	for (size_t i = run->n_threads; i-- > 0;)
		if (run->threads[i]->tls == tls)
			return run->threads[i];
	return NULL;
}

bool rfs_thread_has_stack_at(const struct rfs_thread *thread, rfs_addr address)
{
	return address >= thread->stack_low && address < thread->stack_high;
}

struct rfs_thread *rfs_thread_by_stack(const struct rfs_run *run, rfs_addr address, enum rfs_stack_owner which)
{
	struct rfs_thread *owner = NULL;

	for (size_t i = 0; i < run->n_threads; i++)
		if (rfs_thread_has_stack_at(run->threads[i], address)) {
			owner = run->threads[i];
			if (which == RFS_STACK_FIRST_OWNER)
				break;
		}
	return owner;
}

bool rfs_cond_asleep(const struct rfs_thread *thread)
{
	return thread->state == RFS_STATE_PARKED && thread->next.kind == RFS_OP_COND_WAKE && thread->sync.cond.active;
}

bool rfs_cond_woken(const struct rfs_run *run, const struct rfs_thread *thread)
{
	return rfs_cond_asleep(thread) &&
	       (thread->sync.cond.signalled || thread->sync.cond.spurious || thread->deadline <= run->time.now);
}

void rfs_access_drop(struct rfs_thread *thread)
{
	free(thread->access.data);
	thread->access = (struct rfs_access_state){0};
}
