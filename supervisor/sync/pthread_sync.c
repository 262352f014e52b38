/*
 * pthread_sync.c - semaphores, barriers, once and the guards of C++ static locals.
 *
 * happens-before: a wait on a semaphore receives from the post whose token it takes (first in, first out; tokens of the
 * initial value carry nothing), leaving a barrier receives from all arrivals of its round, a later once from its first.
 */
#include "supervisor/sync/pthread_sync.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/access/call.h"
#include "supervisor/base/alloc.h"
#include "supervisor/state/events.h"
#include "supervisor/state/modules.h"
#include "supervisor/state/park.h"
#include "supervisor/state/run_spec.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/target_memory.h"
#include "supervisor/state/thread.h"
#include "supervisor/state/virtual_time.h"
#include "supervisor/sync/pthread_calls.h"
#include "tracer/tracer.h"

/* sem_t on 64 bits: value in the low half of the first word. */
static bool sem_value(const struct rfs_run *run, rfs_addr sem, unsigned *value)
{
	return rfs_peek(run, sem, value, sizeof(*value));
}

static struct rfs_semaphore *semaphore_at(struct rfs_run *run, rfs_addr address)
{
	struct rfs_semaphore *s;
	unsigned value = 0;

	HASH_FIND(hh, run->semaphores, &address, sizeof(address), s);
	if (s)
		return s;
	s = xcalloc(1, sizeof(*s));
	s->address = address;
	if (sem_value(run, address, &value))
		s->initial = value;
	HASH_ADD(hh, run->semaphores, address, sizeof(address), s);
	return s;
}

static unsigned ready_sem(struct rfs_run *run, struct rfs_thread *thread)
{
	unsigned value = 0;
	bool available = !sem_value(run, thread->next.object, &value) || value > 0;

	if (thread->cancel_pending && !thread->cancel_disabled)
		available = true;
	return rfs_ready_timed(run, available, thread->deadline);
}

static void take_token(struct rfs_run *run, struct rfs_thread *thread, rfs_addr sem)
{
	struct rfs_semaphore *s = semaphore_at(run, sem);
	unsigned value = 0;

	if (!sem_value(run, sem, &value) || value == 0)
		return;
	if (s->initial > 0) {
		s->initial--;
	} else if (s->n_tokens > 0) {
		rfs_emit_kind(run, thread, RFS_EVENT_RECEIVE, s->tokens[0]);
		rfs_emit_kind(run, thread, RFS_EVENT_FORGET, s->tokens[0]);
		memmove(s->tokens, s->tokens + 1, --s->n_tokens * sizeof(*s->tokens));
	}
}

static enum rfs_then go_sem_wait(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (choice->outcome == RFS_OUTCOME_TIMED_OUT)
		thread->futex_answer = -ETIMEDOUT; /* runs into its futex wait, which is answered then */
	else
		take_token(run, thread, thread->next.object);
	if (!thread->cancel_disabled)
		thread->cancel_pending = false; /* sem_wait acts on it */
	return RFS_THEN_EXECUTE;
}

static enum rfs_then go_sem_try(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	unsigned value = 0;

	rfs_executed(run, thread, &thread->next, choice->outcome);
	take_token(run, thread, thread->next.object);
	if (sem_value(run, thread->next.object, &value) && value == 0)
		thread->yielded = true;
	return RFS_THEN_EXECUTE;
}

enum rfs_then rfs_enter_sem_wait(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	rfs_site site = rfs_site_of(run, rfs_call_back(run, thread));
	rfs_addr sem = regs->rdi;
	bool valid = true;

	semaphore_at(run, sem);
	if (call->param == 1)
		valid = rfs_deadline_from(run, regs->rsi, CLOCK_REALTIME, &thread->deadline);
	else if (call->param == 2)
		valid = rfs_deadline_from(run, regs->rdx, (int)regs->rsi, &thread->deadline);
	if (call->param == 3 || !valid)
		return rfs_park(run, thread, rfs_op_make(RFS_OP_SEM_TRYWAIT, site, sem), rfs_ready_always, go_sem_try);
	else
		return rfs_park(run, thread, rfs_op_make(RFS_OP_SEM_WAIT, site, sem), ready_sem, go_sem_wait);
}

static enum rfs_then go_sem_post(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	struct rfs_semaphore *s = semaphore_at(run, thread->next.object);
	uint64_t message = rfs_message(RFS_MESSAGE_POST, run->next_message++);

	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_emit_kind(run, thread, RFS_EVENT_SEND, message);
	s->tokens = xreallocarray(s->tokens, s->n_tokens + 1, sizeof(*s->tokens));
	s->tokens[s->n_tokens++] = message;
	return RFS_THEN_EXECUTE;
}

enum rfs_then rfs_enter_sem_post(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	rfs_site site = rfs_site_of(run, rfs_call_back(run, thread));

	(void)call;
	return rfs_park(run, thread, rfs_op_make(RFS_OP_SEM_POST, site, rfs_task_regs(thread->task)->rdi),
			rfs_ready_always, go_sem_post);
}

/* A new life of the memory: what was known of its tokens is void. No operation of its own. */
enum rfs_then rfs_enter_sem_init(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	struct rfs_semaphore *s = semaphore_at(run, regs->rdi);

	(void)call;
	s->n_tokens = 0;
	s->initial = (unsigned)regs->rdx;
	return RFS_THEN_EXECUTE;
}

/* struct pthread_barrier: in, current_round, count, shared, out */
struct barrier_memory {
	unsigned in, current_round, count;
	int shared;
	unsigned out;
};

static struct rfs_barrier *barrier_at(struct rfs_run *run, rfs_addr address)
{
	struct rfs_barrier *b;

	HASH_FIND(hh, run->barriers, &address, sizeof(address), b);
	if (!b) {
		b = xcalloc(1, sizeof(*b));
		b->address = address;
		b->message = rfs_message(RFS_MESSAGE_BARRIER, run->next_message++);
		HASH_ADD(hh, run->barriers, address, sizeof(address), b);
	}
	return b;
}

static unsigned ready_leave(struct rfs_run *run, struct rfs_thread *thread)
{
	/* args: the round it arrived in, and the message of that round */
	return barrier_at(run, thread->next.object)->round > thread->args[0] ? RFS_THREAD_ENABLED : 0;
}

static enum rfs_then go_leave(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice);

/* After the last one of a round nobody receives its message. */
static void receive_round(struct rfs_run *run, struct rfs_thread *thread)
{
	rfs_emit_kind(run, thread, RFS_EVENT_RECEIVE, thread->args[1]);
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_thread *t = run->threads[i];

		if (t != thread && t->state == RFS_STATE_PARKED && t->go == go_leave && t->args[1] == thread->args[1])
			return;
	}
	rfs_emit_kind(run, thread, RFS_EVENT_FORGET, thread->args[1]);
}

static enum rfs_then go_leave(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	receive_round(run, thread);
	return rfs_call_answer(run, thread, 0);
}

static enum rfs_then go_arrive(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	struct rfs_barrier *b = barrier_at(run, thread->next.object);
	struct rfs_op leave = rfs_op_make(RFS_OP_BARRIER_LEAVE, thread->next.site, thread->next.object);
	struct barrier_memory memory;

	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_emit_kind(run, thread, RFS_EVENT_SEND, b->message);
	if (!rfs_peek(run, b->address, &memory, sizeof(memory)))
		memory.count = 1;
	thread->args[0] = b->round;
	thread->args[1] = b->message;
	if (++b->arrived < memory.count) {
		return rfs_park(run, thread, leave, ready_leave, go_leave);
	}
	receive_round(run, thread);
	b->arrived = 0;
	b->round++;
	b->message = rfs_message(RFS_MESSAGE_BARRIER, run->next_message++);
	return rfs_call_answer(run, thread, (uint64_t)PTHREAD_BARRIER_SERIAL_THREAD);
}

enum rfs_then rfs_enter_barrier(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	rfs_addr barrier = rfs_task_regs(thread->task)->rdi;
	struct rfs_op op = rfs_op_make(RFS_OP_BARRIER_WAIT, rfs_site_of(run, rfs_call_back(run, thread)), barrier);
	struct barrier_memory memory = {0};
	bool native;

	(void)call;
	native = !rfs_peek(run, barrier, &memory, sizeof(memory)) || memory.count == 0 || memory.shared != 0;
	return rfs_park(run, thread, op, rfs_ready_always, native ? rfs_go_on : go_arrive);
}

#define ONCE_IN_PROGRESS 1
#define ONCE_DONE 2

static void once_finished(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_pending_return *call,
			  uint64_t value)
{
	(void)value;
	rfs_emit_kind(run, thread, RFS_EVENT_SEND, rfs_message(RFS_MESSAGE_ONCE, call->arg));
}

static unsigned ready_once(struct rfs_run *run, struct rfs_thread *thread)
{
	int word = 0;

	return !rfs_peek(run, thread->next.object, &word, sizeof(word)) || !(word & ONCE_IN_PROGRESS)
		       ? RFS_THREAD_ENABLED
		       : 0;
}

static enum rfs_then go_once(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_addr object = thread->next.object;
	int word = 0;

	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (rfs_peek(run, object, &word, sizeof(word)) && (word & ONCE_DONE))
		rfs_emit_kind(run, thread, RFS_EVENT_RECEIVE, rfs_message(RFS_MESSAGE_ONCE, object));
	else if (run->spec->detector)
		rfs_call_on_return(run, thread, once_finished, object);
	return RFS_THEN_EXECUTE;
}

enum rfs_then rfs_enter_once(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	rfs_addr back = rfs_call_back(run, thread), object = rfs_task_regs(thread->task)->rdi;
	struct rfs_op op = rfs_op_make(RFS_OP_ONCE, rfs_site_of(run, back), object);
	int word = 0;

	(void)call;
	if (rfs_call_is_internal(run, back) &&
	    !(rfs_peek(run, object, &word, sizeof(word)) && (word & ONCE_IN_PROGRESS)))
		return RFS_THEN_EXECUTE;
	else
		return rfs_park(run, thread, op, ready_once, go_once);
}

/* Itanium C++ ABI guard as libstdc++ lays it out on Linux: byte 0: done; byte 1: somebody is at it. */
#define GUARD_DONE 1
#define GUARD_PENDING 0x100

static unsigned ready_guard(struct rfs_run *run, struct rfs_thread *thread)
{
	int word = 0;

	return !rfs_peek(run, thread->next.object, &word, sizeof(word)) || (word & GUARD_DONE) ||
			       !(word & GUARD_PENDING)
		       ? RFS_THREAD_ENABLED
		       : 0;
}

static enum rfs_then go_guard(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	int word = 0;

	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (rfs_peek(run, thread->next.object, &word, sizeof(word)) && (word & GUARD_DONE))
		rfs_emit_kind(run, thread, RFS_EVENT_RECEIVE, rfs_message(RFS_MESSAGE_ONCE, thread->next.object));
	return RFS_THEN_EXECUTE;
}

/* Compilers read the byte that says done inline, before the call: that, too, receives. */
static void guard_set(struct rfs_run *run, struct rfs_thread *thread, rfs_addr guard)
{
	struct rfs_event event = {.kind = RFS_EVENT_SEND,
				  .thread = thread->number,
				  .message = rfs_message(RFS_MESSAGE_ONCE, guard),
				  .op = rfs_op_make(RFS_OP_ONCE, 0, guard)};

	event.op.size = 1;
	rfs_emit(run, &event);
}

/* param 0: acquire, 1: release */
enum rfs_then rfs_enter_guard(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	rfs_addr object = rfs_task_regs(thread->task)->rdi;
	rfs_site site = rfs_site_of(run, rfs_call_back(run, thread));

	if (call->param == 1) {
		guard_set(run, thread, object);
		return RFS_THEN_EXECUTE;
	} else {
		return rfs_park(run, thread, rfs_op_make(RFS_OP_ONCE, site, object), ready_guard, go_guard);
	}
}
