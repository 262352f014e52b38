/*
 * pids.c - process and thread ids as the target sees them.
 *
 * The kernel gives out ids as they come, so two runs never have the same. The target sees ids that we count out
 * instead, in the order in which its processes and threads are made. They lie above every id that a kernel has
 * (PID_MAX_LIMIT, 2^22, in linux/threads.h), so that one sort is never taken for the other, and within a futex word's
 * 30 bits. Calls that take an id, or a name that holds one, get the kernel's for the time of the call; calls that
 * return one, clone's words in memory and siginfo are put right on their way back.
 */
#include "supervisor/kernel/pids.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "disasm/addr.h"
#include "supervisor/base/alloc.h"
#include "supervisor/kernel/pids_name.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/target_memory.h"
#include "supervisor/state/thread.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"

/* Who is none of ours: the parent of the first process, its session. */
#define PID_OUTSIDE 5000000
#define PID_FIRST (PID_OUTSIDE + 1)

struct rfs_pid {
	pid_t real, shown;
	bool gone;
	rfs_addr child_word;	     /* CLONE_CHILD_SETTID: to be put right before it starts; 0: none */
	const struct pid_call *call; /* that it stands in; NULL: none of the table */
	unsigned long args[6];	     /* … as the target gave them */
};

enum pid_call_flags {
	ARG0 = 1,
	ARG1 = 2,
	RESULT = 4,
	SIGINFO = 8, /* waitid: argument 2, and argument 1 is an id where argument 0 says so */
	PARKED = 16, /* a visible operation, or one that waits: begun when it is carried out */
	NAME0 = 32,  /* a file name (pids_name.c) */
	NAME1 = 64,  /* … from the folder that argument 0 is */
	LINK = 128,  /* what a link says, in the buffer behind the name */
};

static const struct pid_call {
	long number;
	unsigned flags;
} calls[] = {
	{SYS_getpgrp, RESULT},
	{SYS_getpgid, ARG0 | RESULT},
	{SYS_getsid, ARG0 | RESULT},
	{SYS_setsid, RESULT},
	{SYS_setpgid, ARG0 | ARG1},
	{SYS_set_tid_address, RESULT},
	{SYS_clone, RESULT},
	{SYS_clone3, RESULT},
	{SYS_fork, RESULT},
	{SYS_vfork, RESULT},
	{SYS_wait4, ARG0 | RESULT | PARKED},
	{SYS_waitid, SIGINFO | PARKED},
	{SYS_kill, ARG0 | PARKED},
	{SYS_tkill, ARG0 | PARKED},
	{SYS_tgkill, ARG0 | ARG1 | PARKED},
	{SYS_rt_sigqueueinfo, ARG0 | PARKED},
	{SYS_rt_tgsigqueueinfo, ARG0 | ARG1 | PARKED},
	{SYS_sched_setscheduler, ARG0},
	{SYS_sched_getscheduler, ARG0},
	{SYS_sched_setparam, ARG0},
	{SYS_sched_getparam, ARG0},
	{SYS_sched_rr_get_interval, ARG0},
	{SYS_prlimit64, ARG0},
	{SYS_getpriority, ARG1},
	{SYS_setpriority, ARG1},
	{SYS_pidfd_open, ARG0},
	{SYS_process_vm_readv, ARG0},
	{SYS_process_vm_writev, ARG0},
	{SYS_open, NAME0 | PARKED},
	{SYS_creat, NAME0 | PARKED},
	{SYS_openat, NAME1 | PARKED},
	{SYS_openat2, NAME1 | PARKED},
	{SYS_stat, NAME0},
	{SYS_lstat, NAME0},
	{SYS_newfstatat, NAME1},
	{SYS_statx, NAME1},
	{SYS_access, NAME0},
	{SYS_faccessat, NAME1},
	{SYS_faccessat2, NAME1},
	{SYS_chdir, NAME0},
	{SYS_readlink, NAME0 | LINK},
	{SYS_readlinkat, NAME1 | LINK},
};

static const struct pid_call *call_of(long number)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i].number == number)
			return &calls[i];
	return NULL;
}

/* The youngest one: the kernel uses its ids again. */
static struct rfs_pid *by_real(const struct rfs_run *run, pid_t real)
{
	for (size_t i = run->n_pids; i-- > 0;)
		if (run->pids[i].real == real && !run->pids[i].gone)
			return &run->pids[i];
	return NULL;
}

pid_t rfs_pids_add(struct rfs_run *run, pid_t real)
{
	struct rfs_pid *entry = by_real(run, real);

	if (entry)
		return entry->shown;
	run->pids = xreallocarray(run->pids, run->n_pids + 1, sizeof(*run->pids));
	entry = &run->pids[run->n_pids];
	*entry = (struct rfs_pid){.real = real, .shown = PID_FIRST + (pid_t)run->n_pids};
	run->n_pids++;
	return entry->shown;
}

void rfs_pids_gone(struct rfs_run *run, pid_t real)
{
	struct rfs_pid *entry = by_real(run, real);

	if (entry)
		entry->gone = true;
}

pid_t rfs_pids_shown(const struct rfs_run *run, pid_t real)
{
	if (real <= 0 || real >= PID_OUTSIDE)
		return real; /* an error, nobody, or put right before */
	/* also one that is gone: it may still be waited for */
	for (size_t i = run->n_pids; i-- > 0;)
		if (run->pids[i].real == real)
			return run->pids[i].shown;
	return PID_OUTSIDE;
}

/* Of an id that the target gives. What we never showed stays as it is: it may have it from a file. */
static unsigned long real_of(const struct rfs_run *run, unsigned long shown)
{
	long id = (int)shown;

	if (id < -1)
		return (unsigned long)-(long)real_of(run, (unsigned long)-id); /* a process group */
	for (size_t i = run->n_pids; i-- > 0;)
		if (run->pids[i].shown == id)
			return (unsigned long)run->pids[i].real;
	return shown;
}

pid_t rfs_pids_real(const struct rfs_run *run, struct rfs_task *task, pid_t shown)
{
	unsigned long real = real_of(run, (unsigned long)shown);

	if (shown == PID_OUTSIDE)
		return rfs_task_parent(task);
	return real == (unsigned long)shown ? 0 : (pid_t)real;
}

bool rfs_pids_answer(const struct rfs_run *run, struct rfs_task *task, long number, long *result)
{
	switch (number) {
	case SYS_getpid:
		*result = rfs_pids_shown(run, rfs_task_pid(task));
		return true;
	case SYS_gettid:
		*result = rfs_pids_shown(run, rfs_task_tid(task));
		return true;
	case SYS_getppid:
		*result = rfs_pids_shown(run, rfs_task_parent(task));
		return true;
	default:
		return false;
	}
}

/* False: the kernel may have the name as it is, and what it says of it. */
static bool begin_name(const struct rfs_run *run, struct rfs_task *task, unsigned flags, const unsigned long *args)
{
	struct user_regs_struct *regs = rfs_task_regs_mut(task);
	int folder = flags & NAME1 ? (int)args[0] : AT_FDCWD;
	rfs_addr name = args[flags & NAME1 ? 1 : 0];

	if ((flags & LINK) && rfs_pids_is_own_link(task, name))
		return true;
	if (!rfs_pids_put_name(run, task, folder, &name))
		return false;
	if (flags & NAME1)
		regs->rsi = name;
	else
		regs->rdi = name;
	return true;
}

bool rfs_pids_begin(struct rfs_run *run, struct rfs_task *task, long number, const unsigned long *args)
{
	const struct pid_call *call = call_of(number);
	struct rfs_pid *entry = by_real(run, rfs_task_tid(task));
	struct user_regs_struct *regs;

	if (!call || !entry)
		return false;
	if ((call->flags & (NAME0 | NAME1)) && !begin_name(run, task, call->flags, args))
		return false;
	entry->call = call;
	memcpy(entry->args, args, sizeof(entry->args));
	regs = rfs_task_regs_mut(task);
	if (call->flags & ARG0)
		regs->rdi = real_of(run, args[0]);
	if ((call->flags & ARG1) || ((call->flags & SIGINFO) && (args[0] == P_PID || args[0] == P_PGID)))
		regs->rsi = real_of(run, args[1]);
	return true;
}

bool rfs_pids_passes(long number)
{
	const struct pid_call *call = call_of(number);

	return call && !(call->flags & PARKED);
}

/* The buffer stands behind the name, and its size behind the buffer. */
static void end_link(const struct rfs_run *run, struct rfs_task *task, unsigned flags, const unsigned long *args)
{
	const unsigned long *buffer = args + (flags & NAME1 ? 2 : 1);
	struct user_regs_struct *regs = rfs_task_regs_mut(task);

	if (rfs_pids_is_own_link(task, buffer[-1]))
		regs->rax = (unsigned long)rfs_pids_put_link(run, task, buffer[0], buffer[1], (long)regs->rax);
}

void rfs_pids_end(struct rfs_run *run, struct rfs_task *task)
{
	struct rfs_pid *entry = by_real(run, rfs_task_tid(task));
	const struct pid_call *call = entry ? entry->call : NULL;
	/* in struct siginfo si_pid stands at 16 */
	rfs_addr word = call && (call->flags & SIGINFO) && entry->args[2] ? entry->args[2] + 16 : 0;
	struct user_regs_struct *regs;
	int id;

	if (!call)
		return;
	entry->call = NULL;
	regs = rfs_task_regs_mut(task);
	regs->rdi = entry->args[0];
	regs->rsi = entry->args[1];
	if (call->flags & RESULT)
		regs->rax = (unsigned long)(long)rfs_pids_shown(run, (pid_t)regs->rax);
	if (call->flags & LINK)
		end_link(run, task, call->flags, entry->args);
	if (word && rfs_space_read(rfs_task_space(task), word, &id, sizeof(id)) == 0) {
		id = rfs_pids_shown(run, id);
		(void)!rfs_space_write(rfs_task_space(task), word, &id, sizeof(id));
	}
}

void rfs_pids_born(struct rfs_run *run, struct rfs_task *maker, struct rfs_task *child)
{
	const struct user_regs_struct *regs = rfs_task_regs(maker);
	unsigned long args[6] = {regs->rdi, regs->rsi, regs->rdx, regs->r10, regs->r8, regs->r9};
	/* struct clone_args: flags, pidfd, child_tid, parent_tid */
	uint64_t clone[4] = {0};
	pid_t shown = rfs_pids_add(run, rfs_task_tid(child));

	if (regs->orig_rax == SYS_clone3)
		(void)!rfs_space_read(rfs_task_space(maker), regs->rdi, clone, sizeof(clone));
	else if (regs->orig_rax == SYS_clone)
		memcpy(clone, (uint64_t[]){regs->rdi, 0, regs->r10, regs->rdx}, sizeof(clone));
	if (clone[0] & CLONE_PARENT_SETTID)
		(void)!rfs_space_write(rfs_task_space(maker), clone[3], &shown, sizeof(shown));
	if (clone[0] & CLONE_CHILD_SETTID)
		by_real(run, rfs_task_tid(child))->child_word = clone[2];
	(void)rfs_pids_begin(run, maker, (long)regs->orig_rax, args);
}

void rfs_pids_started(struct rfs_run *run, struct rfs_task *task)
{
	struct rfs_pid *entry = by_real(run, rfs_task_tid(task));

	if (!entry || !entry->child_word)
		return;
	(void)!rfs_space_write(rfs_task_space(task), entry->child_word, &entry->shown, sizeof(entry->shown));
	entry->child_word = 0;
}

bool rfs_pids_in_call(const struct rfs_run *run, const struct rfs_task *task)
{
	const struct rfs_pid *entry = by_real(run, rfs_task_tid(task));

	return entry && entry->call;
}

void rfs_pids_signal(const struct rfs_run *run, struct rfs_task *task, const siginfo_t *info)
{
	siginfo_t shown = *info;

	/* only these have a sender */
	if (info->si_code > 0 && info->si_signo != SIGCHLD)
		return;
	if (info->si_code == SI_TIMER)
		return;
	shown.si_pid = rfs_pids_shown(run, info->si_pid);
	if (shown.si_pid != info->si_pid)
		rfs_task_set_siginfo(task, &shown);
}

bool rfs_pids_asks_peer(const struct rfs_thread *thread)
{
	return thread->number_nr == SYS_getsockopt && thread->args[1] == SOL_SOCKET && thread->args[2] == SO_PEERCRED;
}

/* struct ucred begins with the id. */
void rfs_pids_peer(struct rfs_run *run, const struct rfs_thread *thread)
{
	socklen_t size = 0;
	pid_t pid;

	if (rfs_task_regs(thread->task)->rax != 0 || !rfs_peek(run, thread->args[4], &size, sizeof(size)) ||
	    size < sizeof(pid) || !rfs_peek(run, thread->args[3], &pid, sizeof(pid)))
		return;
	pid = rfs_pids_shown(run, pid);
	(void)rfs_poke(run, thread->args[3], &pid, sizeof(pid));
}
