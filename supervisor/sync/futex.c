/*
 * futex.c - the futex layer: answers futex calls as futex(2) defines them.
 *
 * The layer serves everything that the pthread layer does not know: the C library's own locks, C++20 waits, other
 * languages, static programs. The rules of sleeping and waking are in model/futex.c. No thread sleeps in the kernel,
 * except on memory that is shared between processes.
 *
 * A call that the C library makes for itself takes effect at once and is no visible operation. If it sleeps, the
 * sleep is a visible operation.
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
#include "supervisor/access/calls/call.h"
#include "supervisor/base/process.h"
#include "supervisor/model/futex.h"
#include "supervisor/model/memory.h"
#include "supervisor/model/sync.h"
#include "supervisor/record/run_result.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/park.h"
#include "supervisor/state/operations/shared_things.h"
#include "supervisor/sync/internal_calls.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"

void rfs_futex_robust_died(struct rfs_run *run, const struct rfs_thread *thread, const rfs_addr *robust, size_t n)
{
	struct rfs_model_memory memory = rfs_target_memory(run);

	/*
	 * The kernel cannot mark these words. The kernel compares the owner in the word with its own thread id, but the
	 * word has the id that rfsup shows the target (exit_robust_list in kernel/futex/core.c of Linux).
	 */
	for (size_t i = 0; i < n; i++)
		rfs_futex_mark_dead(&memory, thread->tid, robust[i]);
}

void rfs_futex_thread_gone(struct rfs_run *run, rfs_addr clear_tid, const rfs_addr *robust, size_t n_robust)
{
	unsigned value;

	if (clear_tid)
		rfs_futex_wake(&run->sync, clear_tid, 1, FUTEX_BITSET_MATCH_ANY, -1);
	for (size_t i = 0; i < n_robust; i++)
		if (rfs_peek(run, robust[i], &value, sizeof(value)))
			rfs_futex_wake(&run->sync, robust[i], 1, FUTEX_BITSET_MATCH_ANY, -1);
}

static bool read_space(void *space, rfs_addr address, void *buf, size_t n)
{
	return rfs_space_read(space, address, buf, n) == 0;
}

/* The words on the thread's robust list. The kernel marks and wakes them when the thread ends (get_robust_list(2)). */
size_t rfs_futex_robust_list(struct rfs_run *run, struct rfs_thread *thread, rfs_addr *out, size_t max)
{
	const struct rfs_model_memory memory = {.read = read_space, .arg = rfs_task_space(thread->task)};
	uint64_t head = 0;
	size_t size = 0, n;

	if (syscall(SYS_get_robust_list, rfs_task_tid(thread->task), &head, &size) != 0 || head == 0)
		return 0;
	n = rfs_futex_robust_words(&memory, head, out, max);
	for (size_t i = 0; i < n; i++)
		out[i] = rfs_family_name(run, thread, out[i]);
	return n;
}

void rfs_futex_robust_to_kernel(struct rfs_task *task, pid_t shown, bool shared_only)
{
	struct rfs_space *space = rfs_task_space(task);
	const struct rfs_model_memory memory = {.read = read_space, .arg = space};
	struct rfs_mapping mapping;
	rfs_addr words[64];
	uint64_t head = 0;
	size_t size = 0, n = 0;

	if (syscall(SYS_get_robust_list, rfs_task_tid(task), &head, &size) == 0 && head)
		n = rfs_futex_robust_words(&memory, head, words, sizeof(words) / sizeof(*words));
	for (size_t i = 0; i < n; i++) {
		unsigned value;

		if (rfs_space_read(space, words[i], &value, sizeof(value)) != 0 ||
		    (pid_t)(value & FUTEX_TID_MASK) != shown ||
		    (shared_only && !(rfs_space_mapping(space, words[i], &mapping) && mapping.shared)))
			continue;
		value = (value & ~(unsigned)FUTEX_TID_MASK) | (unsigned)rfs_task_tid(task);
		(void)!rfs_space_write(space, words[i], &value, sizeof(value));
	}
}

static enum rfs_then go_sleep(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	return rfs_syscall_answer(thread, choice->outcome == RFS_OUTCOME_TIMED_OUT ? -ETIMEDOUT : 0);
}

static unsigned bits_of(const struct rfs_thread *thread)
{
	bool bitset = ((int)thread->args[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;

	return bitset ? (unsigned)thread->args[5] : FUTEX_BITSET_MATCH_ANY;
}

/*
 * Makes the check that the kernel would make under its lock. If the word still has the expected value, the thread
 * sleeps. Otherwise the call returns at once.
 */
static enum rfs_then futex_fall_asleep(struct rfs_run *run, struct rfs_thread *thread)
{
	const struct rfs_op op = rfs_op_make(RFS_OP_FUTEX_SLEEP, thread->next.site, thread->args[0]);
	struct rfs_model_memory memory = rfs_target_memory(run);
	long result = rfs_futex_sleep(&run->sync, &thread->sync, &memory, thread->args[0], (unsigned)thread->args[2],
				      bits_of(thread));

	if (result)
		return rfs_syscall_answer(thread, result);
	return rfs_park_until(run, thread, op, (struct rfs_wait){.kind = RFS_WAIT_FUTEX}, go_sleep);
}

static enum rfs_then futex_go_wait(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	return futex_fall_asleep(run, thread);
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

/*
 * The C library waits for a lock of its own, such as that of a stream. To acquire it is no operation, so a proof does
 * not know in which orders threads can do that.
 */
static void waits_for_hidden_lock(struct rfs_run *run, const struct rfs_thread *thread)
{
	const struct rfs_module_info *m = rfs_info_at(run, rfs_task_regs(thread->task)->rip);

	if (rfs_shared_noted(run->spec) && m && m->libc)
		run->result->shares_calls = true;
}

static enum rfs_then wait_call(struct rfs_run *run, struct rfs_thread *thread, int command, bool realtime,
			       bool internal)
{
	struct rfs_op op = rfs_op_make(RFS_OP_FUTEX_WAIT, thread->next.site, thread->args[0]);

	if (!read_deadline(run, thread, command, realtime))
		return rfs_syscall_answer(thread, -EINVAL);
	if (bits_of(thread) == 0)
		return rfs_syscall_answer(thread, -EINVAL);
	if (internal) {
		enum rfs_then then = futex_fall_asleep(run, thread);

		if (then == RFS_THEN_PARKED)
			waits_for_hidden_lock(run, thread);
		return then;
	}
	return rfs_park(run, thread, op, rfs_ready_always, futex_go_wait);
}

static long wake_call(struct rfs_run *run, struct rfs_thread *thread, int waiter)
{
	struct rfs_model_memory memory = rfs_target_memory(run);
	long result = rfs_futex_wake_call(&run->sync, &memory, thread->args, waiter);

	/* a requeue may have moved sleepers to another word, so their operations must name the new word */
	for (size_t i = 0; i < run->n_threads; i++)
		if (run->threads[i]->sync.wait.kind == RFS_WAIT_FUTEX)
			run->threads[i]->next.object = run->threads[i]->sync.futex.word;
	return result;
}

static enum rfs_then futex_go_wake(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	return rfs_syscall_answer(thread, wake_call(run, thread, choice->waiter));
}

static enum rfs_then go_lock_pi(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	struct rfs_model_memory memory = rfs_target_memory(run);

	rfs_executed(run, thread, &thread->next, choice->outcome);
	return rfs_syscall_answer(thread,
				  choice->outcome == RFS_OUTCOME_TIMED_OUT
					  ? -ETIMEDOUT
					  : rfs_futex_take_pi(&run->sync, &thread->sync, &memory, thread->args[0]));
}

static enum rfs_then pi_call(struct rfs_run *run, struct rfs_thread *thread, int command)
{
	const struct rfs_op op = rfs_op_make(RFS_OP_LOCK, thread->next.site, thread->args[0]);
	const struct rfs_wait wait = {.kind = RFS_WAIT_LOCK_PI, .object = op.object};
	struct rfs_model_memory memory = rfs_target_memory(run);
	bool waits = false;
	long result;

	if (command == FUTEX_UNLOCK_PI)
		result = rfs_futex_unlock_pi(&thread->sync, &memory, op.object);
	else
		result = rfs_futex_lock_pi(&run->sync, &thread->sync, &memory, op.object, command == FUTEX_TRYLOCK_PI,
					   &waits);
	if (!waits)
		return rfs_syscall_answer(thread, result);
	(void)read_deadline(run, thread, command, false);
	return rfs_park_until(run, thread, op, wait, go_lock_pi);
}

/*
 * Whether the C library or libgomp makes this futex call for itself. A call through the C library's function syscall()
 * counts as a call by the program. *site: where the call was made.
 */
static bool is_internal(const struct rfs_run *run, struct rfs_thread *thread, rfs_site *site)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	const struct rfs_module_info *m = rfs_info_at(run, regs->rip);
	const struct rfs_function *f;

	*site = rfs_site_of(run, regs->rip);
	if (m && m->openmp)
		return true;
	if (!m || !m->libc)
		return m && rfs_call_is_internal(run, regs->rip);
	f = rfs_elf_function_at(m->elf, regs->rip - m->bias);
	if (f && f->name && strcmp(f->name, "syscall") == 0) {
		*site = rfs_site_of(run, rfs_call_back(run, thread));
		return false;
	}
	return true;
}

/* Whether this is memory of System V that another process finds by its key (shmget(2)). */
static bool is_of_key(const char *path)
{
	return strncmp(path, "/SYSV", 5) == 0 && strncmp(path, "/SYSV00000000", 13) != 0;
}

bool rfs_futex_is_shared(const struct rfs_run *run, rfs_addr address)
{
	struct rfs_mapping mapping;

	if (rfs_family_any(run) || !rfs_space_mapping(rfs_run_space(run), address, &mapping) || !mapping.shared)
		return false;
	/* nobody else can open a file without a name; memory that belongs to no file, or has no key, is such a file */
	return run->result->counts.children > 0 || is_of_key(mapping.path) ||
	       (mapping.path[0] && !mapping.path[rfs_path_without_mark(mapping.path)]);
}

/* Whether the fifth argument of the command is an address. */
static bool has_second_word(int command)
{
	return command == FUTEX_WAKE_OP || command == FUTEX_REQUEUE || command == FUTEX_CMP_REQUEUE;
}

enum rfs_then rfs_futex_call(struct rfs_run *run, struct rfs_thread *thread)
{
	int command = (int)thread->args[1] & FUTEX_CMD_MASK;
	long prepared = thread->sync.futex.answer;
	bool realtime = thread->args[1] & FUTEX_CLOCK_REALTIME;
	bool internal;
	rfs_site site;

	if (prepared && (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET)) {
		thread->sync.futex.answer = 0;
		return rfs_syscall_answer(thread, prepared);
	}
	if (!(thread->args[1] & FUTEX_PRIVATE_FLAG) && rfs_futex_is_shared(run, thread->args[0]))
		return RFS_THEN_SLEEP;
	thread->args[0] = rfs_family_name(run, thread, thread->args[0]);
	if (has_second_word(command))
		thread->args[4] = rfs_family_name(run, thread, thread->args[4]);
	internal = is_internal(run, thread, &site);
	thread->next = rfs_op_make(RFS_OP_FUTEX_WAKE, site, thread->args[0]);
	switch (command) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		return wait_call(run, thread, command, realtime, internal);
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
	case FUTEX_WAKE_OP:
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
		if (internal)
			return rfs_syscall_answer(thread, wake_call(run, thread, -1));
		return rfs_park(run, thread, thread->next, rfs_ready_always, futex_go_wake);
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
	case FUTEX_TRYLOCK_PI:
	case FUTEX_UNLOCK_PI:
		return pi_call(run, thread, command);
	default:
		return rfs_syscall_answer(thread, -ENOSYS);
	}
}
