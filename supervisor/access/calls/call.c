/*
 * call.c - keeps a list of the intercepted functions that a thread is in: where each one returns to, and which
 * function of rfsup is called then.
 */
#include "supervisor/access/calls/call.h"

#include <string.h>

#include "disasm/addr.h"
#include "supervisor/access/calls/hooks.h"
#include "supervisor/base/alloc.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "tracer/patch.h"
#include "tracer/tracer.h"

rfs_addr rfs_call_back(const struct rfs_run *run, struct rfs_thread *thread)
{
	rfs_addr back = 0;

	if (!rfs_peek(run, rfs_task_regs(thread->task)->rsp, &back, sizeof(back)))
		return 0;
	return back;
}

rfs_addr rfs_call_object(const struct rfs_run *run, const struct rfs_thread *thread, int argument)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);

	return rfs_family_name(run, thread, argument ? regs->rsi : regs->rdi);
}

enum rfs_then rfs_call_answer(struct rfs_run *run, struct rfs_thread *thread, uint64_t value)
{
	rfs_addr back = rfs_call_back(run, thread);
	struct user_regs_struct *regs = rfs_task_regs_mut(thread->task);

	regs->rip = back;
	regs->rsp += 8;
	regs->rax = value;
	return RFS_THEN_EXECUTE;
}

/* A stub may let executions of the instruction pass (hot_statements.h). */
static void remove_hot_stub(struct rfs_run *run, struct rfs_task *task, rfs_addr address)
{
	if (run->hot)
		rfs_patches_remove(rfs_task_space(task), address, address + 1);
}

struct rfs_hook *rfs_call_hook(struct rfs_run *run, struct rfs_task *task, rfs_addr address)
{
	struct rfs_hook *hook = rfs_hook_at(run, task, address);

	if (hook && !rfs_hook_always_stops(hook))
		remove_hot_stub(run, task, address);
	return hook;
}

void rfs_call_on_return(struct rfs_run *run, struct rfs_thread *thread, rfs_return_fn returned, uint64_t arg)
{
	rfs_addr back = rfs_call_back(run, thread);
	struct rfs_hook *hook = back ? rfs_call_hook(run, thread->task, back) : NULL;

	if (!hook)
		return;
	hook->returns = true;
	rfs_call_entered(thread, back, rfs_task_regs(thread->task)->rsp + 8, returned, arg);
}

void rfs_call_entered(struct rfs_thread *thread, rfs_addr back, rfs_addr rsp, rfs_return_fn returned, uint64_t arg)
{
	size_t keep = 0;

	/*
	 * A function that is left by an exception or a longjmp never returns. The stack pointer is then above the
	 * place of its return address, so its entry is removed here.
	 */
	for (size_t i = 0; i < thread->n_returns; i++)
		if (thread->returns[i].rsp > rsp)
			thread->returns[keep++] = thread->returns[i];
	thread->n_returns = keep;
	thread->returns = xreallocarray(thread->returns, keep + 1, sizeof(*thread->returns));
	thread->returns[thread->n_returns++] =
		(struct rfs_pending_return){.address = back, .rsp = rsp, .returned = returned, .arg = arg};
}

void rfs_call_on_frame_return(struct rfs_run *run, struct rfs_thread *thread, rfs_addr cfa, rfs_addr object,
			      rfs_return_fn returned, uint64_t arg)
{
	struct rfs_pending_return new = {.rsp = cfa, .returned = returned, .arg = arg, .low = object};
	struct rfs_hook *hook;
	size_t at = thread->n_returns;

	if (!rfs_peek(run, cfa - sizeof(rfs_addr), &new.address, sizeof(new.address)))
		return;
	/* those of inner calls come later */
	while (at && thread->returns[at - 1].rsp < cfa)
		at--;
	for (size_t i = at; i-- > 0 && thread->returns[i].rsp == cfa;) {
		struct rfs_pending_return *known = &thread->returns[i];

		if (known->returned != returned)
			continue;
		if (known->life && known->address == new.address) {
			if (object < known->low)
				known->low = object;
			return;
		}
		/* a jump has left that call */
		memmove(known, known + 1, (thread->n_returns - i - 1) * sizeof(*known));
		thread->n_returns--;
		at--;
	}
	hook = rfs_call_hook(run, thread->task, new.address);
	if (!hook)
		return;
	hook->returns = true;
	new.life = ++run->frame_lives;
	thread->returns = xreallocarray(thread->returns, thread->n_returns + 1, sizeof(*thread->returns));
	memmove(&thread->returns[at + 1], &thread->returns[at], (thread->n_returns - at) * sizeof(*thread->returns));
	thread->returns[at] = new;
	thread->n_returns++;
}

void rfs_call_frames_left(struct rfs_thread *thread)
{
	for (size_t i = 0; i < thread->n_returns; i++)
		thread->returns[i].life = 0;
}

void rfs_call_returned(struct rfs_run *run, struct rfs_thread *thread)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);

	for (size_t i = thread->n_returns; i-- > 0;) {
		const struct rfs_pending_return watch = thread->returns[i];

		if (watch.address != regs->rip || watch.rsp != regs->rsp)
			continue;
		thread->n_returns = i;
		watch.returned(run, thread, &watch, regs->rax);
		return;
	}
}

void rfs_call_left(struct rfs_run *run, struct rfs_thread *thread, rfs_addr rsp, rfs_return_fn returned, uint64_t value)
{
	for (size_t i = thread->n_returns; i-- > 0;) {
		struct rfs_pending_return watch = thread->returns[i];

		if (watch.rsp != rsp || watch.returned != returned)
			continue;
		thread->n_returns = i;
		returned(run, thread, &watch, value);
		return;
	}
}
