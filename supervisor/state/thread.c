/*
 * thread.c - the threads of a run: how they park before an operation, execute it, and what the policy and the
 * detector are told.
 */
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/gdb/gdb.h"
#include "supervisor/state/run-priv.h"
#include "supervisor/state/stream.h"
#include "tracer/unwind.h"

void rfs_thread_adopt(struct rfs_thread *thread, struct rfs_thread *creator)
{
	thread->creator = creator;
	rfs_name_thread(thread, creator);
	if (!creator)
		return;
	thread->routine = creator->creates;
	creator->creates = 0;
}

struct rfs_thread *rfs_thread_new(struct rfs_run *run, struct rfs_task *task, struct rfs_thread *creator)
{
	struct rfs_thread *t = xcalloc(1, sizeof(*t));
	struct rfs_event event = {.kind = RFS_EVENT_THREAD};

	t->number = (int)run->n_threads;
	t->task = task;
	t->tid = rfs_pids_add(run, rfs_task_tid(task));
	t->state = RFS_STATE_EMBRYO;
	rfs_thread_adopt(t, creator);
	t->deadline = RFS_NEVER;
	t->stands_in = -1;
	t->times = UINT64_MAX;
	t->fd = t->fd_out = -1;
	rfs_task_set_data(task, t);
	run->threads = xreallocarray(run->threads, run->n_threads + 1, sizeof(*run->threads));
	run->view = xreallocarray(run->view, run->n_threads + 1, sizeof(*run->view));
	run->threads[run->n_threads++] = t;
	event.thread = t->number;
	event.op.peer = creator ? creator->number : -1;
	rfs_emit(run, &event);
	if (run->spec->policy->event)
		run->spec->policy->event(run->policy, &event);
	return t;
}

/* The end of a thread, whichever way: nothing of it may keep another one waiting. */
void rfs_thread_ended(struct rfs_run *run, struct rfs_thread *thread)
{
	if (thread->state == RFS_STATE_ENDED)
		return;
	thread->state = RFS_STATE_ENDED;
	thread->deadline = RFS_NEVER;
	thread->wait.active = false;
	rfs_access_drop(thread);
	if (run->running == thread)
		run->running = NULL;
}

size_t rfs_thread_stack(const struct rfs_thread *thread, rfs_addr *out, size_t max)
{
	if (!thread->task || !max)
		return 0;
	if (!rfs_cond_asleep(thread))
		return rfs_task_stack(thread->task, out, max);
	out[0] = thread->wait.function;
	return 1 + rfs_task_stack_at(thread->task, thread->wait.back, out + 1, max - 1);
}

struct rfs_thread *rfs_thread_by_tid(const struct rfs_run *run, pid_t tid)
{
	for (size_t i = 0; i < run->n_threads; i++)
		if (run->threads[i]->tid == tid && run->threads[i]->state != RFS_STATE_ENDED)
			return run->threads[i];
	return NULL;
}

/* The youngest one: the C library reuses the descriptors of ended threads. */
struct rfs_thread *rfs_thread_by_tls(const struct rfs_run *run, uint64_t tls)
{
	for (size_t i = run->n_threads; i-- > 0;)
		if (run->threads[i]->tls == tls)
			return run->threads[i];
	return NULL;
}

struct rfs_op rfs_op_make(enum rfs_op_kind kind, rfs_site site, rfs_addr object)
{
	return (struct rfs_op){.kind = kind, .peer = -1, .site = site, .object = object};
}

void rfs_park(struct rfs_run *run, struct rfs_thread *thread, struct rfs_op op, rfs_ready_fn ready, rfs_go_fn go)
{
	thread->state = RFS_STATE_PARKED;
	thread->next = op;
	thread->lock_class = 0;
	thread->ready = ready;
	thread->go = go;
	if (run->running == thread)
		run->running = NULL;
	for (int i = 0; i < 2; i++)
		if (op.statements & (1u << i)) {
			run->result->reached[i]++;
			if (run->spec->stood)
				rfs_evidence_reached(run, thread, i);
		}
	if (!(ready(run, thread) & RFS_THREAD_ENABLED) && rfs_deadlock_cycle(run, thread))
		return;
}

void rfs_let_run(struct rfs_run *run, struct rfs_thread *thread, enum rfs_resume how, int signo)
{
	thread->state = RFS_STATE_RUNNING;
	thread->deadline = RFS_NEVER;
	run->running = thread;
	rfs_gdb_resumes(run, thread, &how, &signo);
	if (run->ended && run->gdb)
		return; /* the debugger gave the run up: nothing of the target runs any more */
	rfs_stopless_lend(run, thread);
	rfs_target_memory_forget(run);
	/* A task that is gone tells so by its last stop. */
	(void)!rfs_task_resume(thread->task, how, signo);
}

void rfs_proceed(struct rfs_run *run, struct rfs_thread *thread)
{
	if (run->running && run->running != thread) {
		/* Came out of the kernel while another one runs: waits for its turn. */
		rfs_park(run, thread, rfs_op_make(RFS_OP_SYSCALL, 0, 0), rfs_ready_always, rfs_go_proceed);
		return;
	}
	rfs_let_run(run, thread, RFS_RESUME_RUN, 0);
}

void rfs_emit(struct rfs_run *run, const struct rfs_event *event)
{
	if (run->stream)
		rfs_stream_event(run->stream, event);
}

void rfs_emit_kind(struct rfs_run *run, struct rfs_thread *thread, enum rfs_event_kind kind, uint64_t message)
{
	struct rfs_event event = {.kind = kind, .thread = thread->number, .message = message, .op = {.peer = -1}};

	rfs_emit(run, &event);
}

void rfs_emit_reset(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address, uint64_t size)
{
	struct rfs_event event = {.kind = RFS_EVENT_RESET, .thread = thread->number, .op = {.peer = -1}};

	event.op.object = address;
	event.op.size = size;
	rfs_emit(run, &event);
	rfs_partial_order_reset(run, address, size);
}

void rfs_executed(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_op *op, enum rfs_outcome outcome)
{
	struct rfs_event event = {.kind = RFS_EVENT_OP, .thread = thread->number, .outcome = outcome, .op = *op};

	run->result->steps++;
	thread->operations++;
	if (op->kind != RFS_OP_YIELD)
		for (size_t i = 0; i < run->n_threads; i++)
			if (run->threads[i] != thread)
				run->threads[i]->yielded = false;
	thread->yielded = op->kind == RFS_OP_YIELD;
	if (op->kind != RFS_OP_SPIN_READ)
		thread->n_spin = 0;
	thread->hits = 0;
	thread->full = 0;
	thread->full_wait = 0;
	run->clock_reads = 0;
	rfs_trace_op(run, thread, op, outcome);
	rfs_partial_order_add(run, thread, op, outcome);
	if (run->spec->policy->event)
		run->spec->policy->event(run->policy, &event);
	rfs_emit(run, &event);
}

static void emit_lock(struct rfs_run *run, struct rfs_thread *thread, enum rfs_event_kind kind, rfs_addr lock,
		      enum rfs_op_kind how)
{
	struct rfs_event event = {.kind = kind, .thread = thread->number, .op = rfs_op_make(how, 0, lock)};

	rfs_emit(run, &event);
}

void rfs_acquired(struct rfs_run *run, struct rfs_thread *thread, rfs_addr lock, enum rfs_op_kind kind)
{
	for (size_t i = 0; i < thread->n_holds; i++)
		if (thread->holds[i].lock == lock) {
			thread->holds[i].count++;
			return;
		}
	thread->holds = xreallocarray(thread->holds, thread->n_holds + 1, sizeof(*thread->holds));
	thread->holds[thread->n_holds++] = (struct rfs_hold){lock, kind, 1};
	emit_lock(run, thread, RFS_EVENT_ACQUIRE, lock, kind);
}

void rfs_released(struct rfs_run *run, struct rfs_thread *thread, rfs_addr lock)
{
	for (size_t i = 0; i < thread->n_holds; i++) {
		struct rfs_hold *hold = &thread->holds[i];

		if (hold->lock != lock)
			continue;
		if (--hold->count == 0) {
			emit_lock(run, thread, RFS_EVENT_RELEASE, lock, hold->kind);
			*hold = thread->holds[--thread->n_holds];
		}
		return;
	}
}

struct rfs_thread *rfs_holder(const struct rfs_run *run, rfs_addr lock, const struct rfs_thread *but)
{
	for (size_t i = 0; i < run->n_threads; i++) {
		struct rfs_thread *t = run->threads[i];

		if (t == but || t->state == RFS_STATE_ENDED)
			continue;
		for (size_t k = 0; k < t->n_holds; k++)
			if (t->holds[k].lock == lock)
				return t;
	}
	return NULL;
}

unsigned rfs_ready_always(struct rfs_run *run, struct rfs_thread *thread)
{
	(void)run;
	(void)thread;
	return RFS_THREAD_ENABLED;
}

void rfs_go_proceed(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_proceed(run, thread);
}

unsigned rfs_ready_timed(const struct rfs_run *run, bool available, uint64_t deadline)
{
	uint64_t race = (uint64_t)(run->spec->sleep_race * (double)RFS_NANOS);
	bool due = deadline != RFS_NEVER && (deadline <= run->now + race || deadline <= run->horizon);

	if (available)
		return RFS_THREAD_ENABLED | (due ? RFS_THREAD_CAN_TIME_OUT | RFS_THREAD_READY : 0);
	return due ? RFS_THREAD_CAN_TIME_OUT : 0;
}

struct rfs_module_info *rfs_info_new(struct rfs_run *run, const struct rfs_module *module)
{
	struct rfs_module_info *info = xcalloc(1, sizeof(*info));

	info->number = (unsigned)run->n_modules;
	info->path = xstrdup(module->path);
	info->bias = module->bias;
	info->start = module->start;
	info->end = module->end;
	info->elf = module->elf;
	info->program = module->number == 0;
	run->modules = xreallocarray(run->modules, run->n_modules + 1, sizeof(*run->modules));
	run->modules[run->n_modules++] = info;
	return info;
}

/* The youngest one: addresses are used again after dlclose(). */
struct rfs_module_info *rfs_info_at(const struct rfs_run *run, rfs_addr address)
{
	for (size_t i = run->n_modules; i-- > 0;)
		if (address >= run->modules[i]->start && address < run->modules[i]->end)
			return run->modules[i];
	return NULL;
}

/* (module number + 1) << 40 | vaddr: equal for equal module and offset in one run. */
#define SITE_SHIFT 40

rfs_site rfs_site_of(const struct rfs_run *run, rfs_addr address)
{
	const struct rfs_module_info *info = rfs_info_at(run, address);

	return info ? ((rfs_site)(info->number + 1) << SITE_SHIFT) | (address - info->bias) : 0;
}

rfs_addr rfs_site_address(const struct rfs_run *run, rfs_site site)
{
	size_t number = site >> SITE_SHIFT;

	if (number == 0 || number > run->n_modules)
		return 0;
	return run->modules[number - 1]->bias + (site & ((1ull << SITE_SHIFT) - 1));
}
