/*
 * deadlock.c - describes and reports deadlocks.
 *
 * A cycle in the wait-for graph (model/wait.c) is reported at once, even while other threads run. Otherwise a deadlock
 * is reported when no thread can continue.
 */
#include "supervisor/state/findings/deadlock.h"

#include <stdlib.h>
#include <sys/syscall.h>

#include "disasm/addr.h"
#include "disasm/elf/elf.h"
#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/process.h"
#include "supervisor/model/memory.h"
#include "supervisor/model/sync.h"
#include "supervisor/model/wait.h"
#include "supervisor/model/word_lock.h"
#include "supervisor/record/run_result.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/findings/evidence.h"
#include "supervisor/state/findings/hold_stacks.h"
#include "supervisor/state/findings/lock_order.h"
#include "tracer/tracer.h"

/* The most semaphores that are shown as locks that a thread holds. */
#define SEMAPHORES_MAX 16

/*
 * The word lock for which the thread waits, and its holder; 0 if it waits for something else. A thread that sleeps
 * or spins may wait for the word that it tried to acquire last. The run need not know yet that the word is a lock.
 */
static rfs_addr blocking_word(const struct rfs_run *run, const struct rfs_thread *thread, int *holder)
{
	const enum rfs_op_kind kind = thread->next.kind;
	size_t number = 0;
	rfs_addr word;

	if (thread->state != RFS_STATE_PARKED)
		return 0;
	if (kind != RFS_OP_FUTEX_WAIT && kind != RFS_OP_FUTEX_SLEEP && kind != RFS_OP_YIELD &&
	    kind != RFS_OP_SPIN_READ && kind != RFS_OP_ACCESS)
		return 0;
	word = rfs_word_blocks(run->word_locks, (size_t)thread->number, &number);
	if (!word || ((kind == RFS_OP_FUTEX_WAIT || kind == RFS_OP_FUTEX_SLEEP) && word != thread->next.object))
		return 0;
	*holder = (int)number;
	return word;
}

/* Adds the word locks of the thread for which others wait. */
static void add_word_locks(struct rfs_run *run, const struct rfs_thread *thread, struct rfs_waiter *out)
{
	for (size_t i = 0; i < run->n_threads; i++) {
		int holder = -1;
		const rfs_addr word = blocking_word(run, run->threads[i], &holder);
		bool known = !word || holder != thread->number;

		for (size_t k = 0; k < out->n_holds && !known; k++)
			known = out->holds[k].address == word;
		if (known)
			continue;
		out->holds = xreallocarray(out->holds, out->n_holds + 1, sizeof(*out->holds));
		rfs_describe_lock(run, word, &out->holds[out->n_holds++]);
	}
}

/* Adds the semaphores that the thread has taken and that are used as locks. */
static void add_semaphores(const struct rfs_run *run, const struct rfs_thread *thread, struct rfs_waiter *out)
{
	rfs_addr taken[SEMAPHORES_MAX];
	const size_t n = rfs_lock_order_semaphores(run, thread, taken, SEMAPHORES_MAX);

	out->holds = xreallocarray(out->holds, out->n_holds + n + 1, sizeof(*out->holds));
	for (size_t i = 0; i < n; i++)
		rfs_describe_lock(run, taken[i], &out->holds[out->n_holds++]);
}

/* The number of the system call that the thread is in or parked before; -1: none. */
static int deadlock_call_of(const struct rfs_thread *thread)
{
	if (thread->state == RFS_STATE_KERNEL)
		return (int)(thread->at_syscall ? thread->syscall : rfs_task_syscall(thread->task, NULL));
	if (thread->state != RFS_STATE_PARKED || !thread->at_syscall)
		return -1;
	switch (thread->next.kind) {
	case RFS_OP_SYSCALL:
	case RFS_OP_KERNEL:
	case RFS_OP_SLEEP:
	case RFS_OP_YIELD:
	case RFS_OP_FUTEX_WAIT:
	case RFS_OP_FUTEX_SLEEP:
	case RFS_OP_FUTEX_WAKE:
	case RFS_OP_KILL:
		return (int)thread->syscall;
	default:
		return -1;
	}
}

/* If the thread is in or before a call that waits at one descriptor, describes it. */
static void describe_descriptor(const struct rfs_run *run, const struct rfs_thread *thread, struct rfs_waiter *out)
{
	if (!thread->at_syscall || (out->operation != RFS_OP_SYSCALL && out->operation != RFS_OP_KERNEL))
		return;
	switch (out->call) {
	case SYS_read:
	case SYS_readv:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_write:
	case SYS_writev:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_accept:
	case SYS_accept4:
	case SYS_connect:
	case SYS_flock:
		break;
	default:
		return;
	}
	rfs_object_release(&out->waits_for);
	out->waits_for = (struct rfs_object){
		.kind = RFS_MEMORY_DESCRIPTOR,
		.thread = -1,
		.offset = (unsigned)thread->args[0],
		.place.module = rfs_process_descriptor(rfs_tracer_pid(run->tracer), (int)thread->args[0]),
	};
}

static void describe_waiter(struct rfs_run *run, struct rfs_thread *thread, struct rfs_waiter *out)
{
	const bool woken = rfs_cond_woken(run, thread);

	out->thread = thread->number;
	out->process = thread->process;
	out->handler = thread->handler.signo;
	out->operation = woken				     ? RFS_OP_LOCK
			 : thread->state == RFS_STATE_PARKED ? thread->next.kind
			 : thread->state == RFS_STATE_KERNEL ? RFS_OP_KERNEL
							     : RFS_OP_NONE;
	out->call = deadlock_call_of(thread);
	out->for_thread = -1;
	if (thread->state == RFS_STATE_PARKED) {
		rfs_addr object = woken ? thread->sync.cond.mutex : thread->next.object;
		int holder = -1;
		const rfs_addr word = blocking_word(run, thread, &holder);

		if (word)
			rfs_describe_lock(run, word, &out->waits_for);
		else
			rfs_describe(run, object, &out->waits_for);
		out->for_thread = thread->next.kind == RFS_OP_JOIN ? thread->next.peer : holder;
		if (out->for_thread < 0)
			out->for_thread = rfs_sync_holder(&run->sync, object, NULL);
		if (out->for_thread < 0 && thread->next.kind == RFS_OP_SEM_WAIT)
			out->for_thread = rfs_lock_order_taker(run, object);
		rfs_stack_places(run, thread, &out->stack, &out->n_stack);
	} else {
		rfs_describe(run, 0, &out->waits_for);
		if (thread->state == RFS_STATE_KERNEL)
			rfs_stack_places(run, thread, &out->stack, &out->n_stack);
	}
	describe_descriptor(run, thread, out);
	out->holds = xcalloc(thread->sync.n_holds ? thread->sync.n_holds : 1, sizeof(*out->holds));
	out->acquired = xcalloc(thread->sync.n_holds ? thread->sync.n_holds : 1, sizeof(*out->acquired));
	for (size_t i = 0; i < thread->sync.n_holds; i++) {
		struct rfs_acquisition *acquired = &out->acquired[out->n_acquired++];

		rfs_describe_lock(run, thread->sync.holds[i].lock, &out->holds[out->n_holds++]);
		acquired->step = thread->sync.holds[i].step;
		rfs_hold_stacks_find(run, acquired->step, &acquired->stack, &acquired->n_stack);
	}
	add_word_locks(run, thread, out);
	add_semaphores(run, thread, out);
}

void rfs_describe_threads(struct rfs_run *run, struct rfs_waiters *out)
{
	out->n = 0;
	out->list = xcalloc(run->n_threads ? run->n_threads : 1, sizeof(*out->list));
	for (size_t i = 0; i < run->n_threads; i++)
		if (run->threads[i]->state != RFS_STATE_ENDED && run->threads[i]->task)
			describe_waiter(run, run->threads[i], &out->list[out->n++]);
}

static void report_cycle(struct rfs_run *run, const size_t *path, size_t n)
{
	run->result->deadlock.list = xcalloc(n, sizeof(*run->result->deadlock.list));
	for (size_t i = 0; i < n; i++) {
		struct rfs_waiter *w = &run->result->deadlock.list[run->result->deadlock.n++];

		describe_waiter(run, run->threads[path[i]], w);
		w->for_thread = (int)path[(i + 1) % n];
	}
	rfs_run_end(run, RFS_END_DEADLOCK, 0);
}

static bool uses_cancellation(const struct rfs_run *run)
{
	for (size_t i = 0; i < run->n_modules; i++) {
		const struct rfs_module_info *info = run->modules[i];

		if (!info->gone && !info->libc && !info->generated &&
		    (rfs_elf_imports(info->elf, "pthread_cancel") ||
		     rfs_elf_symbol(info->elf, "pthread_cancel", NULL, NULL)))
			return true;
	}
	return false;
}

/* Whether a thread that is not in the cycle could cancel one that joins another thread there. */
static bool may_be_cancelled(const struct rfs_run *run, const size_t *path, size_t n)
{
	size_t alive = 0;
	bool joins = false;

	for (size_t i = 0; i < run->n_threads; i++)
		alive += run->threads[i]->state != RFS_STATE_ENDED;
	for (size_t i = 0; i < n; i++) {
		const struct rfs_sync_thread *sync = &run->threads[path[i]]->sync;

		joins |= sync->wait.kind == RFS_WAIT_JOIN && !sync->cancel_disabled;
	}
	return joins && alive > n && uses_cancellation(run);
}

bool rfs_deadlock_cycle(struct rfs_run *run, struct rfs_thread *from)
{
	struct rfs_model_memory memory = rfs_target_memory(run);
	size_t *path = xcalloc(run->n_threads, sizeof(*path));
	size_t n = rfs_wait_cycle(&run->sync, &memory, (size_t)from->number, path);

	/* if it is not cancelled, the run ends when no thread can continue */
	if (n && may_be_cancelled(run, path, n))
		n = 0;
	if (n)
		report_cycle(run, path, n);
	free(path);
	return n > 0;
}

void rfs_deadlock_all(struct rfs_run *run)
{
	rfs_describe_threads(run, &run->result->deadlock);
	rfs_run_end(run, RFS_END_DEADLOCK, 0);
}
