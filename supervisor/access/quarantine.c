/*
 * quarantine.c - keeps blocks and objects from being reused, and notices accesses and calls that come after their
 * end.
 */
#include "supervisor/access/quarantine.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "disasm/addr.h"
#include "policy/core/op.h"
#include "policy/policy.h"
#include "supervisor/access/calls/call.h"
#include "supervisor/base/alloc.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/findings/guard_heap.h"
#include "supervisor/state/operations/events.h"
#include "tracer/tracer.h"

/* What a target may lose to the quarantine. What does not fit is freed. */
#define BLOCKS_MAX 4096
#define BYTES_MAX (UINT64_C(256) << 20)
/* The largest object of the thread library. */
#define OBJECT_MOST sizeof(pthread_rwlock_t)

struct kept_block {
	rfs_addr address;
	uint64_t size;
};

/* An object that was destroyed while a thread was parked before a call on it. */
struct destroyed {
	rfs_addr object;
	size_t size;
	unsigned char memory[OBJECT_MOST]; /* since then; if it changes, the object has a new life */
};

/* The blocks that were freed while a thread could still be postponed: blocks[from] up to blocks[to - 1]. */
struct missed {
	size_t from, to;
	rfs_addr fault; /* a signal is pending, for an access to this address; 0: none */
};

struct rfs_quarantine {
	struct kept_block blocks[BLOCKS_MAX];
	size_t n;
	uint64_t bytes;
	struct missed *missed; /* by thread number */
	size_t n_missed;
	struct destroyed *destroyed;
	size_t n_destroyed, destroys; /* destroys: the size of the object that is being destroyed */
};

static void quarantine_make_room(struct rfs_quarantine *quarantine, size_t n_threads)
{
	if (quarantine->n_missed >= n_threads)
		return;
	quarantine->missed = xreallocarray(quarantine->missed, n_threads, sizeof(*quarantine->missed));
	for (; quarantine->n_missed < n_threads; quarantine->n_missed++)
		quarantine->missed[quarantine->n_missed] = (struct missed){0};
}

/* Whether the thread can still be postponed here, so that the statement that should come first comes last. */
static bool quarantine_is_before(const struct rfs_thread *thread)
{
	return thread->state == RFS_STATE_PARKED && (thread->next.statements & RFS_AT_HELD);
}

/* Whether the thread misses the memory: at an access, its address is known. */
static bool misses(const struct rfs_run *run, const struct rfs_thread *thread, const struct kept_block *block)
{
	if (!quarantine_is_before(thread))
		return false;
	return !run->spec->plan.order->stacks || run->spec->plan.order->held.module ||
	       thread->next.object - block->address < block->size;
}

/* Notes which threads were before the statement that should come first, when the last block was freed. True if any was.
 */
static bool note_missed(struct rfs_quarantine *quarantine, const struct rfs_run *run, const struct rfs_thread *thread)
{
	const size_t last = quarantine->n - 1;
	bool any = false;

	quarantine_make_room(quarantine, run->n_threads);
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_thread *t = run->threads[i];
		struct missed *missed = &quarantine->missed[i];

		if (t == thread || !misses(run, t, &quarantine->blocks[last]))
			continue;
		if (missed->to != last)
			missed->from = last;
		missed->to = last + 1;
		any = true;
	}
	return any;
}

static struct rfs_quarantine *quarantine_of(struct rfs_run *run)
{
	if (!run->quarantine)
		run->quarantine = xcalloc(1, sizeof(*run->quarantine));
	return run->quarantine;
}

bool rfs_quarantine_takes(struct rfs_run *run, const struct rfs_thread *thread, const struct rfs_op *op)
{
	struct rfs_quarantine *quarantine;

	/* a sanitizer has its own quarantine */
	if (!run->spec->plan.order || !(op->statements & 2) || !(op->access & RFS_ACCESS_FREE) || !op->object ||
	    run->asan)
		return false;
	quarantine = quarantine_of(run);
	if (quarantine->n == BLOCKS_MAX || op->size > BYTES_MAX - quarantine->bytes)
		return false;
	quarantine->bytes += op->size;
	quarantine->blocks[quarantine->n++] = (struct kept_block){op->object, op->size};
	(void)note_missed(quarantine, run, thread);
	return true;
}

/* What the thread missed; NULL: nothing. */
static struct missed *missed_by(const struct rfs_run *run, const struct rfs_thread *thread)
{
	struct rfs_quarantine *quarantine = run->quarantine;

	return quarantine && (size_t)thread->number < quarantine->n_missed ? &quarantine->missed[thread->number] : NULL;
}

/*
 * The signal is pending before the thread continues, so the kernel delivers it before the instruction, as after a page
 * fault. Only the kernel may send a signal with the code of a page fault, so rfs_quarantine_signal() sets the code.
 */
static bool send_fault(const struct rfs_thread *thread)
{
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_signo = SIGSEGV;
	info.si_code = SI_QUEUE;
	return syscall(SYS_rt_tgsigqueueinfo, rfs_task_pid(thread->task), rfs_task_tid(thread->task), SIGSEGV, &info) ==
	       0;
}

bool rfs_quarantine_faults(struct rfs_run *run, const struct rfs_thread *thread, const struct rfs_op *op)
{
	struct missed *missed = op->statements & 1 ? missed_by(run, thread) : NULL;

	for (size_t i = missed ? missed->from : 0; missed && i < missed->to; i++) {
		const struct kept_block *block = &run->quarantine->blocks[i];

		/* of a call, no size is known */
		if (!block->size || op->object >= block->address + block->size ||
		    block->address >= op->object + (op->size + !op->size))
			continue;
		missed->fault = op->object > block->address ? op->object : block->address;
		return send_fault(thread);
	}
	return false;
}

/* ---- stacks ---- */

void rfs_quarantine_exit(struct rfs_run *run, const struct rfs_thread *thread)
{
	const struct rfs_op *op = &thread->next;
	struct rfs_quarantine *quarantine;

	if (!run->spec->plan.order || !run->spec->plan.order->stacks || !(op->statements & 2))
		return;
	quarantine = quarantine_of(run);
	if (quarantine->n == BLOCKS_MAX)
		return;
	quarantine->blocks[quarantine->n++] = (struct kept_block){op->object, op->size};
	/* many threads may end, so only those take a place whose stack is missed */
	if (!note_missed(quarantine, run, thread))
		quarantine->n--;
}

void rfs_quarantine_renew(struct rfs_run *run, rfs_addr address, uint64_t size)
{
	struct rfs_quarantine *quarantine = run->quarantine;

	for (size_t i = 0; quarantine && i < quarantine->n; i++) {
		struct kept_block *block = &quarantine->blocks[i];

		if (block->address - address < size || address - block->address < block->size)
			block->size = 0;
	}
}

/* ---- destroyed objects ---- */

/* Whether a thread is postponed at a call on the object. */
static bool quarantine_is_awaited(const struct rfs_run *run, const struct rfs_thread *thread, rfs_addr object)
{
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_thread *t = run->threads[i];

		if (t != thread && quarantine_is_before(t) && (t->next.statements & 1) && t->next.object == object)
			return true;
	}
	return false;
}

static void destroyed(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_pending_return *watch,
		      uint64_t value)
{
	struct rfs_quarantine *quarantine = quarantine_of(run);
	struct destroyed added = {.object = watch->arg, .size = quarantine->destroys};

	if ((int)value || !quarantine_is_awaited(run, thread, added.object) ||
	    !rfs_peek(run, added.object, added.memory, added.size))
		return;
	quarantine->destroyed = xreallocarray(quarantine->destroyed, quarantine->n_destroyed + 1, sizeof(added));
	quarantine->destroyed[quarantine->n_destroyed++] = added;
}

void rfs_quarantine_destroys(struct rfs_run *run, struct rfs_thread *thread, rfs_addr object, size_t size)
{
	if (!run->spec->plan.order || !(thread->next.statements & 2) || !quarantine_is_awaited(run, thread, object))
		return;
	quarantine_of(run)->destroys = size < OBJECT_MOST ? size : OBJECT_MOST;
	rfs_call_on_return(run, thread, destroyed, object);
}

void rfs_quarantine_init(struct rfs_run *run, rfs_addr object)
{
	struct rfs_quarantine *quarantine = run->quarantine;

	for (size_t i = quarantine ? quarantine->n_destroyed : 0; i-- > 0;)
		if (quarantine->destroyed[i].object == object)
			quarantine->destroyed[i] = quarantine->destroyed[--quarantine->n_destroyed];
}

/* Whether the object was destroyed and has no new life. */
static bool quarantine_is_destroyed(const struct rfs_run *run, rfs_addr object)
{
	const struct rfs_quarantine *quarantine = run->quarantine;
	unsigned char now[OBJECT_MOST];

	for (size_t i = quarantine ? quarantine->n_destroyed : 0; i-- > 0;) {
		const struct destroyed *d = &quarantine->destroyed[i];

		if (d->object == object && rfs_peek(run, object, now, d->size))
			return memcmp(now, d->memory, d->size) == 0;
	}
	return false;
}

bool rfs_quarantine_call(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	const struct rfs_op op = thread->next;
	bool faults;

	if (!run->quarantine || rfs_op_is_access(op.kind) || !(op.statements & 1) || !op.object)
		return false;
	faults = rfs_quarantine_faults(run, thread, &op);
	if (!faults && quarantine_is_destroyed(run, op.object)) {
		quarantine_make_room(run->quarantine, run->n_threads);
		run->quarantine->missed[thread->number].fault = op.object;
		faults = send_fault(thread);
	}
	if (faults)
		rfs_executed(run, thread, &op, choice->outcome);
	return faults;
}

/* ---- the signal ---- */

void rfs_quarantine_signal(struct rfs_run *run, const struct rfs_thread *thread, siginfo_t *info)
{
	struct missed *missed = missed_by(run, thread);

	rfs_guard_heap_fault(run, info);
	if (!missed || !missed->fault || info->si_signo != SIGSEGV || info->si_code != SI_QUEUE)
		return;
	memset(info, 0, sizeof(*info));
	info->si_signo = SIGSEGV;
	info->si_code = SEGV_ACCERR;
	info->si_addr = (void *)(uintptr_t)missed->fault; /* NOLINT(performance-no-int-to-ptr): of the target */
	rfs_task_set_siginfo(thread->task, info);
	missed->fault = 0;
}

void rfs_quarantine_release(struct rfs_run *run)
{
	if (run->quarantine) {
		free(run->quarantine->missed);
		free(run->quarantine->destroyed);
	}
	free(run->quarantine);
	run->quarantine = NULL;
}
