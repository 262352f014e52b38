/*
 * What happens after a task has executed a new program.
 *
 * All of this happens before the first instruction of the program:
 *
 *   - the kernel gives the leader's tid to the thread that called execve. All other threads of the process end, some
 *     without a report (ptrace(2), "execve(2) under ptrace"). Their ends are queued here, before the stop;
 *   - the vDSO is hidden: AT_SYSINFO_EHDR in the auxiliary vector on the stack becomes AT_IGNORE. The C library then
 *     reads the clock with system calls, which the filter sees. AT_RANDOM's bytes are replaced;
 *   - the gate page for injected calls and trampolines is mapped (trampoline.c).
 */
#include "tracer/stops/exec-priv.h"

#include <asm/prctl.h>
#include <elf.h>
#include <errno.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <uthash.h>

#include "disasm/addr.h"
#include "tracer/memory.h"
#include "tracer/places/stub_buffer-priv.h"
#include "tracer/places/trampoline-priv.h"
#include "tracer/process/queue-priv.h"
#include "tracer/process/regs-priv.h"
#include "tracer/process/resume-priv.h"
#include "tracer/process/space-priv.h"
#include "tracer/process/stop-priv.h"
#include "tracer/process/task-priv.h"
#include "tracer/process/tracer-priv.h"
#include "tracer/process/wait-priv.h"
#include "tracer/tasks/space_life-priv.h"
#include "tracer/tasks/task_life-priv.h"

#ifndef ARCH_SET_CPUID
#define ARCH_SET_CPUID 0x1012
#endif

/* The value of cs in a task that runs 64-bit code (__USER_CS). */
#define CODE_64_BIT 0x33

static int queue_end(struct rfs_task *task, pid_t mover)
{
	struct rfs_stop stop = {.kind = RFS_STOP_EXITED, .task = task};

	if (task->tid == task->pid)
		stop.message = (unsigned long)mover;
	rfs_task_retire(task);
	return rfs_queue_stop(task->tracer, &stop);
}

/* Removes all tasks of the process except the one that called execve, and gives that one the leader's tid. *task: at
 * first the leader, afterwards the task that remains. former: the old tid of that task. Returns 0 or -ENOMEM. */
static int take_over(struct rfs_task **task, pid_t former)
{
	struct rfs_task *leader = *task, *mover = leader, *other, *next;
	struct rfs_tracer *tracer = leader->tracer;
	pid_t pid = leader->tid;
	int r;

	if (former != pid)
		mover = rfs_tracer_task(tracer, former);
	if (!mover)
		mover = leader;
	HASH_ITER (hh, tracer->tasks, other, next) {
		if (other->pid != pid || other == mover)
			continue;
		r = queue_end(other, former);
		if (r)
			return r;
	}
	if (mover != leader) {
		HASH_DEL(tracer->tasks, mover);
		mover->tid = pid;
		mover->cpu = leader->cpu;
		HASH_ADD_INT(tracer->tasks, tid, mover);
		tracer->last = NULL;
	}
	*task = mover;
	return 0;
}

/* Moves *at to the address after the next word that is zero. Returns 0, -EFAULT or -ESRCH. */
static int skip_to_null(struct rfs_space *space, rfs_addr *at)
{
	uint64_t words[RFS_PAGE / 8];

	for (;;) {
		size_t n = (RFS_PAGE - *at % RFS_PAGE) / 8;
		int r = rfs_space_read(space, *at, words, n * 8);

		if (r)
			return r;
		for (size_t i = 0; i < n; i++) {
			*at += 8;
			if (!words[i])
				return 0;
		}
	}
}

/* Hides the vDSO or replaces AT_RANDOM's bytes, if the entry of the auxiliary vector at `at` is about one of them. */
static int edit_entry(struct rfs_task *task, rfs_addr at, const Elf64_auxv_t *entry)
{
	const Elf64_auxv_t ignored = {.a_type = AT_IGNORE};

	if (entry->a_type == AT_SYSINFO_EHDR)
		return rfs_space_write(task->space, at, &ignored, sizeof(ignored));
	if (entry->a_type == AT_RANDOM && task->tracer->rules->has_random)
		return rfs_space_write(task->space, entry->a_un.a_val, task->tracer->rules->random,
				       sizeof(task->tracer->rules->random));
	return 0;
}

static int edit_auxv(struct rfs_task *task)
{
	struct rfs_space *space = task->space;
	rfs_addr at = rfs_task_regs(task)->rsp + 8; /* after argc */
	Elf64_auxv_t entries[32];
	int r;

	r = skip_to_null(space, &at); /* arguments */
	if (!r)
		r = skip_to_null(space, &at); /* environment */
	while (!r) {
		/* read only up to the end of the page, because the stack may end there */
		size_t n = (RFS_PAGE - at % RFS_PAGE) / sizeof(entries[0]);

		if (n == 0)
			n = 1;
		if (n > sizeof(entries) / sizeof(entries[0]))
			n = sizeof(entries) / sizeof(entries[0]);
		r = rfs_space_read(space, at, entries, n * sizeof(entries[0]));
		for (size_t i = 0; !r && i < n; i++, at += sizeof(entries[0])) {
			if (entries[i].a_type == AT_NULL)
				return 0;
			r = edit_entry(task, at, &entries[i]);
		}
	}
	return r;
}

/* Makes cpuid trap in a new program, because execve switches trapping off (arch_prctl(2)). The call fails if the
 * processor cannot do it. */
static void trap_cpuid(struct rfs_task *task)
{
	int r = task->tracer->rules->trap_cpuid && task->space->gate ? rfs_task_trap_cpuid(task, true) : -ESRCH;

	if (r != -ESRCH)
		task->tracer->rules->cpuid_shows = r != 0;
}

int rfs_task_trap_cpuid(struct rfs_task *task, bool trap)
{
	const unsigned long args[6] = {ARCH_SET_CPUID, !trap};
	long result = 0;
	int r = rfs_task_inject(task, SYS_arch_prctl, args, &result);

	return r ? r : (int)result;
}

int rfs_task_trap_rdtsc(struct rfs_task *task, bool trap)
{
	const unsigned long args[6] = {PR_SET_TSC, trap ? PR_TSC_SIGSEGV : PR_TSC_ENABLE};
	long result = 0;
	int r = rfs_task_inject(task, SYS_prctl, args, &result);

	return r ? r : (int)result;
}

bool rfs_tracer_shows_cpuid(const struct rfs_tracer *tracer)
{
	return tracer->rules->cpuid_shows;
}

/* Continues from the exec event, which is inside the system call, to the exit of that call. Only there can all
 * registers be set. Returns 0, -ESRCH or -ENOMEM. */
static int exec_go_to_exit(struct rfs_task *task)
{
	int status, r;

	r = rfs_task_continue(task, PTRACE_SYSCALL, 0);
	if (!r)
		r = rfs_wait_task(task, &status);
	if (r)
		return r;
	if (rfs_stop_decode(status).kind == RFS_RAW_SYSCALL)
		return 0;
	task->state = RFS_TASK_RUNNING;
	r = rfs_queue_raw(task->tracer, task->tid, status);
	return r ? r : -ESRCH;
}

int rfs_exec_present(struct rfs_task *task)
{
	struct rfs_stop stop = {.kind = RFS_STOP_EXEC};
	struct rfs_space *space;
	unsigned long former = 0;
	int r;

	if (ptrace(PTRACE_GETEVENTMSG, task->tid, 0, &former))
		former = (unsigned long)task->tid;
	r = take_over(&task, (pid_t)former);
	if (r)
		return r;
	rfs_task_leave_space(task);
	r = rfs_space_new(task, &space);
	if (r)
		return r;
	rfs_task_join_space(task, space);
	task->state = RFS_TASK_STOPPED;
	task->announced = true;
	task->kind = RFS_STOP_EXEC; /* rfs_task_inject() looks at the kind */
	task->left_syscall = false;
	task->passing = task->start = task->inside = 0;
	task->stub->foreign_gs = false;
	rfs_task_invalidate(task);
	r = exec_go_to_exit(task);
	if (r)
		return r == -ESRCH ? 0 : r; /* -ESRCH: the task was killed, and its end is the next stop */
	rfs_task_invalidate(task);
	/* the space gets no gate if its memory cannot be accessed, or if the program is of another architecture. If the
	 * task dies meanwhile, its end is queued */
	if (rfs_task_regs(task)->cs == CODE_64_BIT && !edit_auxv(task))
		rfs_trampoline_open(task);
	trap_cpuid(task);
	if (task->state != RFS_TASK_STOPPED)
		return 0;
	stop.task = task;
	stop.message = former;
	stop.address = rfs_task_regs(task)->rip;
	return rfs_queue_stop(task->tracer, &stop);
}
