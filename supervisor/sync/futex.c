/*
 * futex.c - the futex layer: sleeping and waking as futex(2) defines them, for all that the library layer does not
 * cover (the C library's own locks, C++20 waits, other languages, static programs). The calls are answered here; nobody
 * sleeps in the kernel but on memory that is shared between processes.
 *
 * A thread asleep is enabled by a wake, its timeout or a signal, never because the word changed: a lost wake-up must
 * show. What the C library calls for itself takes place at once and is no visible operation, only its sleep is.
 */
#include "supervisor/sync/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "disasm/addr.h"
#include "disasm/elf/elf.h"
#include "policy/policy.h"
#include "supervisor/access/call.h"
#include "supervisor/state/events.h"
#include "supervisor/state/modules.h"
#include "supervisor/state/park.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/target_memory.h"
#include "supervisor/state/thread.h"
#include "supervisor/state/virtual_time.h"
#include "supervisor/sync/pthread_calls.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"

static bool word_at(const struct rfs_run *run, rfs_addr address, unsigned *value)
{
	return rfs_peek(run, address, value, sizeof(*value));
}

/* Wakes up to n sleepers on a word whose bits match; returns how many. waiter: who first, -1: the longest asleep. */
static long futex_wake(struct rfs_run *run, rfs_addr word, long n, unsigned bits, int waiter)
{
	long woken = 0;

	while (woken < n) {
		struct rfs_thread *next = NULL;

		for (size_t i = 0; i < run->n_threads; i++) {
			struct rfs_thread *t = run->threads[i];

			if (t->state != RFS_STATE_PARKED || t->next.kind != RFS_OP_FUTEX_SLEEP || t->futex_awake ||
			    t->futex_word != word || !(t->futex_bits & bits))
				continue;
			if (t->number == waiter) {
				next = t;
				break;
			}
			if (!next || t->sleep_order < next->sleep_order)
				next = t;
		}
		if (!next)
			break;
		next->futex_awake = true;
		waiter = -1;
		woken++;
	}
	return woken;
}

static long requeue(struct rfs_run *run, rfs_addr from, rfs_addr to, long n)
{
	long moved = 0;

	for (size_t i = 0; i < run->n_threads && moved < n; i++) {
		struct rfs_thread *t = run->threads[i];

		if (t->state == RFS_STATE_PARKED && t->next.kind == RFS_OP_FUTEX_SLEEP && !t->futex_awake &&
		    t->futex_word == from) {
			t->futex_word = t->next.object = to;
			moved++;
		}
	}
	return moved;
}

/* The kernel knows an owner by its own id, so it cannot do this (exit_robust_list in kernel/futex/core.c). */
static void mark_dead(struct rfs_run *run, const struct rfs_thread *thread, rfs_addr word)
{
	unsigned value;

	if (!word_at(run, word, &value) || (pid_t)(value & FUTEX_TID_MASK) != thread->tid)
		return;
	value = (value & FUTEX_WAITERS) | FUTEX_OWNER_DIED;
	(void)rfs_poke(run, word, &value, sizeof(value));
}

void rfs_futex_robust_died(struct rfs_run *run, const struct rfs_thread *thread, const rfs_addr *robust, size_t n)
{
	for (size_t i = 0; i < n; i++)
		mark_dead(run, thread, robust[i]);
}

void rfs_futex_thread_gone(struct rfs_run *run, rfs_addr clear_tid, const rfs_addr *robust, size_t n_robust)
{
	unsigned value;

	if (clear_tid)
		futex_wake(run, clear_tid, 1, FUTEX_BITSET_MATCH_ANY, -1);
	for (size_t i = 0; i < n_robust; i++)
		if (word_at(run, robust[i], &value))
			futex_wake(run, robust[i], 1, FUTEX_BITSET_MATCH_ANY, -1);
}

/* The words on the thread's robust list: the kernel marks and wakes them when it ends (get_robust_list(2)). */
size_t rfs_futex_robust_list(const struct rfs_run *run, struct rfs_thread *thread, rfs_addr *out, size_t max)
{
	struct {
		uint64_t next;
		int64_t offset;
		uint64_t pending;
	} head;
	uint64_t head_address = 0, entry;
	size_t size = 0, n = 0;

	if (syscall(SYS_get_robust_list, rfs_task_tid(thread->task), &head_address, &size) != 0 || head_address == 0 ||
	    !rfs_peek(run, head_address, &head, sizeof(head)))
		return 0;
	for (entry = head.next; entry != head_address && n < max; n++) {
		out[n] = (entry & ~1ull) + (uint64_t)head.offset; /* bit 0: priority inheritance */
		if (!rfs_peek(run, entry & ~1ull, &entry, sizeof(entry)))
			break;
	}
	return n;
}

static unsigned ready_sleep(struct rfs_run *run, struct rfs_thread *thread)
{
	return rfs_ready_timed(run, thread->futex_awake, thread->futex_awake ? RFS_NEVER : thread->deadline);
}

static enum rfs_then go_sleep(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	return rfs_syscall_answer(thread, choice->outcome == RFS_OUTCOME_TIMED_OUT ? -ETIMEDOUT : 0);
}

/* The kernel's check under its lock: asleep where the word still has the value, else back at once. */
static enum rfs_then fall_asleep(struct rfs_run *run, struct rfs_thread *thread)
{
	unsigned value;

	if (!word_at(run, thread->args[0], &value))
		return rfs_syscall_answer(thread, -EFAULT);
	if (value != (unsigned)thread->args[2])
		return rfs_syscall_answer(thread, -EAGAIN);
	thread->futex_awake = false;
	thread->sleep_order = run->next_order++;
	return rfs_park(run, thread, rfs_op_make(RFS_OP_FUTEX_SLEEP, thread->next.site, thread->futex_word),
			ready_sleep, go_sleep);
}

static enum rfs_then go_wait(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	return fall_asleep(run, thread);
}

static bool read_deadline(const struct rfs_run *run, struct rfs_thread *thread, int command, bool realtime)
{
	thread->deadline = RFS_NEVER;
	if (thread->args[3] == 0)
		return true;
	if (command == FUTEX_WAIT_BITSET || command == FUTEX_LOCK_PI || command == FUTEX_LOCK_PI2)
		return rfs_deadline_from(run, thread->args[3],
					 realtime || command == FUTEX_LOCK_PI ? CLOCK_REALTIME : CLOCK_MONOTONIC,
					 &thread->deadline);
	return rfs_deadline_after(run, thread->args[3], &thread->deadline) == 0;
}

static enum rfs_then wait_call(struct rfs_run *run, struct rfs_thread *thread, int command, bool realtime)
{
	struct rfs_op op = rfs_op_make(RFS_OP_FUTEX_WAIT, thread->next.site, thread->args[0]);

	if (!read_deadline(run, thread, command, realtime))
		return rfs_syscall_answer(thread, -EINVAL);
	thread->futex_word = thread->args[0];
	thread->futex_bits = command == FUTEX_WAIT_BITSET ? (unsigned)thread->args[5] : FUTEX_BITSET_MATCH_ANY;
	if (thread->futex_bits == 0)
		return rfs_syscall_answer(thread, -EINVAL);
	if (thread->futex_internal)
		return fall_asleep(run, thread);
	return rfs_park(run, thread, op, rfs_ready_always, go_wait);
}

static bool compares(int comparison, int old, int argument)
{
	switch (comparison) {
	case FUTEX_OP_CMP_EQ:
		return old == argument;
	case FUTEX_OP_CMP_NE:
		return old != argument;
	case FUTEX_OP_CMP_LT:
		return old < argument;
	case FUTEX_OP_CMP_LE:
		return old <= argument;
	case FUTEX_OP_CMP_GT:
		return old > argument;
	default:
		return old >= argument;
	}
}

/* FUTEX_WAKE_OP: changes the second word, wakes on the first, and on the second where the old value compares. */
static long wake_op(struct rfs_run *run, struct rfs_thread *thread, int waiter)
{
	unsigned encoded = (unsigned)thread->args[5];
	int op = (int)(encoded >> 28 & 7), comparison = (int)(encoded >> 24 & 15);
	int argument = (int)(encoded << 8) >> 20, against = (int)(encoded << 20) >> 20;
	unsigned value;
	int old, fresh;
	long woken;

	if (!word_at(run, thread->args[4], &value))
		return -EFAULT;
	old = (int)value;
	if (encoded >> 28 & FUTEX_OP_OPARG_SHIFT)
		argument = (int)(1u << (argument & 31));
	switch (op) {
	case FUTEX_OP_SET:
		fresh = argument;
		break;
	case FUTEX_OP_ADD:
		fresh = (int)((unsigned)old + (unsigned)argument);
		break;
	case FUTEX_OP_OR:
		fresh = old | argument;
		break;
	case FUTEX_OP_ANDN:
		fresh = old & ~argument;
		break;
	case FUTEX_OP_XOR:
		fresh = old ^ argument;
		break;
	default:
		return -ENOSYS;
	}
	if (!rfs_poke(run, thread->args[4], &fresh, sizeof(fresh)))
		return -EFAULT;
	woken = futex_wake(run, thread->args[0], (int)thread->args[2], FUTEX_BITSET_MATCH_ANY, waiter);
	if (compares(comparison, old, against))
		woken += futex_wake(run, thread->args[4], (int)thread->args[3], FUTEX_BITSET_MATCH_ANY, -1);
	return woken;
}

static long wake_call(struct rfs_run *run, struct rfs_thread *thread, int waiter)
{
	int command = (int)thread->args[1] & FUTEX_CMD_MASK;
	unsigned value;
	long woken, moved;

	switch (command) {
	case FUTEX_WAKE:
		return futex_wake(run, thread->args[0], (int)thread->args[2], FUTEX_BITSET_MATCH_ANY, waiter);
	case FUTEX_WAKE_BITSET:
		return futex_wake(run, thread->args[0], (int)thread->args[2], (unsigned)thread->args[5], waiter);
	case FUTEX_WAKE_OP:
		return wake_op(run, thread, waiter);
	case FUTEX_CMP_REQUEUE:
		if (!word_at(run, thread->args[0], &value))
			return -EFAULT;
		if (value != (unsigned)thread->args[5])
			return -EAGAIN;
		break;
	default:
		break;
	}
	woken = futex_wake(run, thread->args[0], (int)thread->args[2], FUTEX_BITSET_MATCH_ANY, waiter);
	moved = requeue(run, thread->args[0], thread->args[4], (int)thread->args[3]);
	/* futex(2) says that FUTEX_REQUEUE counts the woken only; the kernel (futex_requeue()) counts both for both */
	return woken + moved;
}

static enum rfs_then go_wake(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	return rfs_syscall_answer(thread, wake_call(run, thread, choice->waiter));
}

static unsigned ready_pi(struct rfs_run *run, struct rfs_thread *thread)
{
	unsigned value = 0;
	bool available = !word_at(run, thread->args[0], &value) || (value & FUTEX_TID_MASK) == 0;

	return rfs_ready_timed(run, available, thread->deadline);
}

/* Takes a priority-inheritance lock that is free, as the kernel would: the owner's tid goes into the word. */
static long take_pi(struct rfs_run *run, struct rfs_thread *thread)
{
	unsigned value;

	if (!word_at(run, thread->args[0], &value))
		return -EFAULT;
	value = (value & FUTEX_OWNER_DIED) | (unsigned)thread->tid;
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_thread *t = run->threads[i];

		if (t != thread && t->state == RFS_STATE_PARKED && t->ready == ready_pi &&
		    t->args[0] == thread->args[0])
			value |= FUTEX_WAITERS;
	}
	return rfs_poke(run, thread->args[0], &value, sizeof(value)) ? 0 : -EFAULT;
}

static enum rfs_then go_lock_pi(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	return rfs_syscall_answer(thread, choice->outcome == RFS_OUTCOME_TIMED_OUT ? -ETIMEDOUT : take_pi(run, thread));
}

static enum rfs_then pi_call(struct rfs_run *run, struct rfs_thread *thread, int command)
{
	unsigned value, free_word = 0;
	bool done;

	if (!word_at(run, thread->args[0], &value))
		return rfs_syscall_answer(thread, -EFAULT);
	if (command == FUTEX_UNLOCK_PI) {
		if ((pid_t)(value & FUTEX_TID_MASK) != thread->tid)
			return rfs_syscall_answer(thread, -EPERM);
		done = rfs_poke(run, thread->args[0], &free_word, sizeof(free_word));
		return rfs_syscall_answer(thread, done ? 0 : -EFAULT);
	}
	if ((pid_t)(value & FUTEX_TID_MASK) == thread->tid)
		return rfs_syscall_answer(thread, -EDEADLK);
	if ((value & FUTEX_TID_MASK) == 0)
		return rfs_syscall_answer(thread, take_pi(run, thread));
	if (command == FUTEX_TRYLOCK_PI)
		return rfs_syscall_answer(thread, -EAGAIN);
	value |= FUTEX_WAITERS; /* sends the owner's unlock into the kernel, that is to us */
	(void)rfs_poke(run, thread->args[0], &value, sizeof(value));
	(void)read_deadline(run, thread, command, false);
	return rfs_park(run, thread, rfs_op_make(RFS_OP_LOCK, thread->next.site, thread->args[0]), ready_pi,
			go_lock_pi);
}

/* The C library's own call, not one made through its syscall() function. */
static bool is_internal(const struct rfs_run *run, struct rfs_thread *thread, rfs_site *site)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	const struct rfs_module_info *m = rfs_info_at(run, regs->rip);
	const struct rfs_function *f;

	*site = rfs_site_of(run, regs->rip);
	if (!m || !m->libc)
		return m && rfs_call_is_internal(run, regs->rip);
	f = rfs_elf_function_at(m->elf, regs->rip - m->bias);
	if (f && f->name && strcmp(f->name, "syscall") == 0) {
		*site = rfs_site_of(run, rfs_call_back(run, thread));
		return false;
	}
	return true;
}

static bool is_shared(const struct rfs_run *run, rfs_addr address)
{
	struct rfs_mapping mapping;

	return rfs_space_mapping(rfs_run_space(run), address, &mapping) && mapping.shared;
}

enum rfs_then rfs_futex_call(struct rfs_run *run, struct rfs_thread *thread)
{
	int command = (int)thread->args[1] & FUTEX_CMD_MASK;
	long prepared = thread->futex_answer;
	bool realtime = thread->args[1] & FUTEX_CLOCK_REALTIME;
	rfs_site site;

	if (prepared && (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET)) {
		thread->futex_answer = 0;
		return rfs_syscall_answer(thread, prepared);
	}
	if (!(thread->args[1] & FUTEX_PRIVATE_FLAG) && is_shared(run, thread->args[0]))
		return RFS_THEN_SLEEP;
	thread->futex_internal = is_internal(run, thread, &site);
	thread->next = rfs_op_make(RFS_OP_FUTEX_WAKE, site, thread->args[0]);
	switch (command) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		return wait_call(run, thread, command, realtime);
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
	case FUTEX_WAKE_OP:
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
		if (thread->futex_internal)
			return rfs_syscall_answer(thread, wake_call(run, thread, -1));
		return rfs_park(run, thread, thread->next, rfs_ready_always, go_wake);
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
	case FUTEX_TRYLOCK_PI:
	case FUTEX_UNLOCK_PI:
		return pi_call(run, thread, command);
	default:
		return rfs_syscall_answer(thread, -ENOSYS);
	}
}
