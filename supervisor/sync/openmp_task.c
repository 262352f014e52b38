/*
 * openmp_task.c - tasks: their creation, execution, and the calls that wait for them.
 *
 * The function of a task gets a breakpoint when the task is created. The thread that executes the task parks there, so
 * another thread can take the next task first.
 */
#include "supervisor/sync/openmp_task.h"

#include <stdlib.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/access/calls/call.h"
#include "supervisor/access/calls/hooks.h"
#include "supervisor/base/alloc.h"
#include "supervisor/model/openmp.h"
#include "supervisor/state/core/heap_blocks.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/park.h"
#include "supervisor/sync/openmp_layer.h"
#include "tracer/tracer.h"

/* GOMP_TASK_FLAG_DEPEND of gcc's include/gomp-constants.h */
#define FLAG_DEPEND 8u
/* More addresses in one clause are not read. */
#define DEPENDS_MAX 4096

/* ---- depend clauses ---- */

/* Kinds of a depend object (GOMP_DEPEND_* of gcc's include/gomp-constants.h). */
enum { DEPEND_IN = 1 };

/* A depend object holds an address and a kind. */
static struct rfs_openmp_depend depend_object(const struct rfs_run *run, rfs_addr object)
{
	uint64_t words[2] = {object, 0};

	(void)!rfs_peek(run, object, words, sizeof(words));
	return (struct rfs_openmp_depend){words[0], words[1] != DEPEND_IN};
}

/*
 * Reads the array that libgomp's calls take. Its first word is the number of addresses, and the second one the number
 * of those with out and inout, which come first. If the first word is 0, the second is the number of all, and three
 * counts follow: out and inout, mutexinoutset, in. The rest are depend objects. Caller frees.
 */
static struct rfs_openmp_depend *read_depends(const struct rfs_run *run, rfs_addr array, size_t *n)
{
	uint64_t head[5] = {0}, *addresses;
	struct rfs_openmp_depend *out;
	size_t first = 2, outs, ins;

	*n = 0;
	if (!array || !rfs_peek(run, array, head, 2 * sizeof(*head)))
		return NULL;
	if (head[0] == 0) {
		if (!rfs_peek(run, array, head, sizeof(head)))
			return NULL;
		first = 5;
		outs = head[2] + head[3];
		ins = head[4];
		head[0] = head[1];
	} else {
		outs = head[1];
		ins = head[0] - head[1];
	}
	if (head[0] > DEPENDS_MAX || outs > head[0] || ins > head[0] - outs)
		return NULL;
	addresses = xcalloc(head[0] + 1, sizeof(*addresses));
	out = xcalloc(head[0] + 1, sizeof(*out));
	if (rfs_peek(run, array + first * sizeof(*addresses), addresses, head[0] * sizeof(*addresses)))
		*n = head[0];
	for (size_t i = 0; i < *n; i++)
		out[i] = i < outs + ins ? (struct rfs_openmp_depend){addresses[i], i < outs}
					: depend_object(run, addresses[i]);
	free(addresses);
	return out;
}

/* ---- execution ---- */

static void task_left(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_pending_return *call,
		      uint64_t value)
{
	(void)call;
	(void)value;
	rfs_openmp_task_end(rfs_openmp_of(run, thread), thread->number);
}

static enum rfs_then go_task(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	/* libgomp has the data behind its own, in one block; if there is no data, its address is the block's end */
	const struct rfs_block *block = rfs_heap_block(run, regs->rdi - 1);

	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_openmp_taken(run, thread);
	rfs_openmp_task_begin(rfs_openmp_of(run, thread), thread->number, regs->rip, block ? block->thread : -1,
			      block ? block->order : 0);
	rfs_call_on_return(run, thread, task_left, 0);
	return rfs_openmp_begin_code(run, thread);
}

/* The thread is at the entry of a task's function. The program may also call this function itself. */
static enum rfs_then enter_task(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	const struct rfs_module_info *caller = rfs_info_at(run, rfs_call_back(run, thread));
	const rfs_addr function = rfs_task_regs(thread->task)->rip;

	(void)call;
	if (!caller || !caller->openmp || !rfs_openmp_region_of(run, thread))
		return rfs_openmp_begin_code(run, thread);
	return rfs_openmp_park_taker(run, thread, rfs_site_of(run, function), function, go_task);
}

static const struct rfs_call task = {"task", enter_task, 0, RFS_CALL_INTERNAL};

/* ---- creation ---- */

static void task_created(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_pending_return *call,
			 uint64_t value)
{
	(void)value;
	rfs_openmp_created(rfs_openmp_of(run, thread), thread->number, run->heap.next_order);
	if (call->arg)
		rfs_openmp_group_end(rfs_openmp_of(run, thread), thread->number);
}

/* A taskloop is a taskgroup too, unless its flags say nogroup. */
#define FLAG_NOGROUP (1u << 11)

static enum rfs_then openmp_task_go_create(struct rfs_run *run, struct rfs_thread *thread,
					   const struct rfs_choice *choice)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	struct rfs_openmp *model = rfs_openmp_of(run, thread);
	const bool many = thread->args[0] != 0;
	struct rfs_openmp_task made = {.function = regs->rdi, .many = many, .first = run->heap.next_order};
	const bool group = many && !(regs->r9 & FLAG_NOGROUP);
	/* after the six arguments in registers: flags of a task and its depend array */
	struct {
		uint64_t back, flags, depends;
	} stack = {0};
	struct rfs_openmp_depend *depends = NULL;

	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (!many && rfs_peek(run, regs->rsp, &stack, sizeof(stack)) && ((unsigned)stack.flags & FLAG_DEPEND))
		depends = read_depends(run, stack.depends, &made.n_depends);
	made.depends = depends;
	if (group)
		rfs_openmp_group_begin(model, thread->number);
	rfs_openmp_create(model, thread->number, &made);
	free(depends);
	rfs_call_on_return(run, thread, task_created, group);
	return RFS_THEN_EXECUTE;
}

/* param: 0 task, 1 taskloop */
enum rfs_then rfs_enter_omp_task(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	const rfs_addr function = rfs_task_regs(thread->task)->rdi;
	struct rfs_hook *hook;

	if (!rfs_openmp_region_of(run, thread))
		return RFS_THEN_EXECUTE;
	hook = rfs_call_hook(run, thread->task, function);
	if (!hook)
		return RFS_THEN_EXECUTE;
	if (!hook->call)
		hook->call = &task;
	thread->args[0] = (unsigned long)call->param;
	return rfs_park(run, thread,
			rfs_op_make(RFS_OP_SEM_POST, rfs_site_of(run, rfs_call_back(run, thread)), function),
			rfs_ready_always, openmp_task_go_create);
}

/* ---- waits ---- */

static void openmp_task_waited(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_pending_return *call,
			       uint64_t value)
{
	struct rfs_openmp_depend *depends = NULL;
	size_t n = 0;

	(void)value;
	if (call->arg)
		depends = read_depends(run, call->arg, &n);
	rfs_openmp_task_wait(rfs_openmp_of(run, thread), thread->number, depends, n);
	free(depends);
}

static enum rfs_then go_taskwait(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_call_on_return(run, thread, openmp_task_waited, thread->args[0] ? rfs_task_regs(thread->task)->rdi : 0);
	return RFS_THEN_EXECUTE;
}

static enum rfs_then park_wait(struct rfs_run *run, struct rfs_thread *thread, rfs_go_fn go)
{
	return rfs_park(run, thread, rfs_op_make(RFS_OP_YIELD, rfs_site_of(run, rfs_call_back(run, thread)), 0),
			rfs_ready_always, go);
}

/* param: 1 with a depend clause */
enum rfs_then rfs_enter_omp_taskwait(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	if (!rfs_openmp_region_of(run, thread))
		return RFS_THEN_EXECUTE;
	thread->args[0] = (unsigned long)call->param;
	return park_wait(run, thread, go_taskwait);
}

static void group_ended(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_pending_return *call,
			uint64_t value)
{
	(void)call;
	(void)value;
	rfs_openmp_group_end(rfs_openmp_of(run, thread), thread->number);
}

static enum rfs_then go_group_end(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_call_on_return(run, thread, group_ended, 0);
	return RFS_THEN_EXECUTE;
}

/* param: 0 the begin, 1 the end */
enum rfs_then rfs_enter_omp_taskgroup(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	if (!rfs_openmp_region_of(run, thread))
		return RFS_THEN_EXECUTE;
	if (call->param == 1)
		return park_wait(run, thread, go_group_end);
	rfs_openmp_group_begin(rfs_openmp_of(run, thread), thread->number);
	return RFS_THEN_EXECUTE;
}

enum rfs_then rfs_enter_omp_taskyield(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	(void)call;
	return park_wait(run, thread, rfs_go_on);
}

enum rfs_then rfs_enter_omp_fulfil(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	(void)call;
	rfs_openmp_fulfil(rfs_openmp_of(run, thread), thread->number);
	return RFS_THEN_EXECUTE;
}
