/*
 * pids.c - process and thread ids as the target sees them.
 *
 * The kernel's ids differ between runs. So the target sees other ids: rfsup counts them, in the order in which
 * processes and threads are created. These ids are above all ids of a kernel (PID_MAX_LIMIT, 2^22, in linux/threads.h),
 * so that the two kinds are never confused. They fit in the 30 bits that a futex word has for an id.
 *
 * If an argument of a call is an id, or a name that contains an id, rfsup replaces the id by the kernel's id until the
 * call returns. Ids that the kernel returns are corrected at the exit: in the result, in the words that clone stores,
 * and in siginfo.
 */
#include "supervisor/kernel/ids/pids.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "disasm/addr.h"
#include "supervisor/base/alloc.h"
#include "supervisor/kernel/core/call_state.h"
#include "supervisor/kernel/core/kernel_state.h"
#include "supervisor/kernel/core/syscall_row.h"
#include "supervisor/kernel/ids/pids_data.h"
#include "supervisor/kernel/ids/pids_name.h"
#include "supervisor/kernel/ids/proc_text.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/operations/park.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"

/* The id of any process that is not the target's, such as the parent of the first process. */
#define PID_OUTSIDE 5000000
#define PID_FIRST (PID_OUTSIDE + 1)

struct rfs_pid {
	pid_t real, shown;
	bool gone;
	rfs_addr child_word;   /* CLONE_CHILD_SETTID: the word to correct before the child starts; 0: none */
	unsigned ids;	       /* enum rfs_syscall_ids of the call that the task is in; 0: in no call with ids */
	unsigned long args[6]; /* the arguments as the target gave them */
	struct rfs_pid_words words;
	int text; /* our copy of a file of /proc that the call opens; -1: none */
};

struct rfs_pids {
	struct rfs_pid *list; /* in order of creation */
	size_t n;
};

void rfs_pids_init(struct rfs_run *run)
{
	run->kernel->pids = xcalloc(1, sizeof(*run->kernel->pids));
}

static void close_text(struct rfs_pid *entry)
{
	if (entry->text >= 0)
		close(entry->text);
	entry->text = -1;
}

void rfs_pids_release(struct rfs_run *run)
{
	for (size_t i = 0; i < run->kernel->pids->n; i++)
		close_text(&run->kernel->pids->list[i]);
	free(run->kernel->pids->list);
	free(run->kernel->pids);
}

size_t rfs_pids_count(const struct rfs_run *run)
{
	return run->kernel->pids->n;
}

/* The entry of a task that has not ended. Returns the newest such entry, because the kernel reuses ids. */
static struct rfs_pid *pids_by_real(const struct rfs_run *run, pid_t real)
{
	const struct rfs_pids *pids = run->kernel->pids;

	for (size_t i = pids->n; i-- > 0;)
		if (pids->list[i].real == real && !pids->list[i].gone)
			return &pids->list[i];
	return NULL;
}

pid_t rfs_pids_add(struct rfs_run *run, pid_t real)
{
	struct rfs_pids *pids = run->kernel->pids;
	struct rfs_pid *entry = pids_by_real(run, real);

	if (entry)
		return entry->shown;
	pids->list = xreallocarray(pids->list, pids->n + 1, sizeof(*pids->list));
	entry = &pids->list[pids->n];
	*entry = (struct rfs_pid){.real = real, .shown = PID_FIRST + (pid_t)pids->n, .text = -1};
	pids->n++;
	return entry->shown;
}

bool rfs_pids_known(const struct rfs_run *run, pid_t real)
{
	return pids_by_real(run, real) != NULL;
}

bool rfs_pids_was_known(const struct rfs_run *run, pid_t real)
{
	return real > 0 && rfs_pids_shown(run, real) != PID_OUTSIDE;
}

void rfs_pids_gone(struct rfs_run *run, pid_t real)
{
	struct rfs_pid *entry = pids_by_real(run, real);

	if (!entry)
		return;
	entry->gone = true;
	close_text(entry);
}

pid_t rfs_pids_shown(const struct rfs_run *run, pid_t real)
{
	const struct rfs_pids *pids = run->kernel->pids;

	if (real <= 0 || real >= PID_OUTSIDE)
		return real; /* an error, no process, or already corrected */
	/* processes that have ended are searched too, because a parent may still wait for them */
	for (size_t i = pids->n; i-- > 0;)
		if (pids->list[i].real == real)
			return pids->list[i].shown;
	return PID_OUTSIDE;
}

/*
 * The kernel's id for an id that the target passes to a call. An unknown id stays as it is: the target may have read it
 * in a file.
 */
static unsigned long pids_real_of(const struct rfs_run *run, unsigned long shown)
{
	const struct rfs_pids *pids = run->kernel->pids;
	long id = (int)shown;

	if (id < -1)
		return (unsigned long)-(long)pids_real_of(run,
							  (unsigned long)-id); /* a negative id names a process group */
	for (size_t i = pids->n; i-- > 0;)
		if (pids->list[i].shown == id)
			return (unsigned long)pids->list[i].real;
	return shown;
}

bool rfs_pids_is_outside(pid_t shown)
{
	return shown == PID_OUTSIDE;
}

pid_t rfs_pids_kernel(const struct rfs_run *run, pid_t shown)
{
	return (pid_t)pids_real_of(run, (unsigned long)(long)shown);
}

pid_t rfs_pids_told(const struct rfs_run *run, pid_t real)
{
	return real < -1 ? -rfs_pids_shown(run, -real) : rfs_pids_shown(run, real);
}

pid_t rfs_pids_real(const struct rfs_run *run, struct rfs_task *task, pid_t shown)
{
	unsigned long real = pids_real_of(run, (unsigned long)shown);

	if (shown == PID_OUTSIDE)
		return rfs_task_parent(task);
	return real == (unsigned long)shown ? 0 : (pid_t)real;
}

bool rfs_pids_answer(const struct rfs_run *run, struct rfs_task *task, unsigned ids, long *result)
{
	if (!(ids & RFS_ID_ANSWERED))
		return false;
	*result = rfs_pids_shown(run, ids & RFS_ID_PROCESS  ? rfs_task_pid(task)
				      : ids & RFS_ID_THREAD ? rfs_task_tid(task)
							    : rfs_task_parent(task));
	return true;
}

enum rfs_then rfs_sys_getid(struct rfs_run *run, struct rfs_thread *thread)
{
	long id = 0;

	(void)rfs_pids_answer(run, thread->task, thread->call->row->ids, &id);
	return rfs_syscall_answer(thread, id);
}

/*
 * If a name in the call's arguments contains an id, replaces the name. False: neither the name nor the call's result
 * needs a change.
 */
static bool begin_name(const struct rfs_run *run, struct rfs_task *task, struct rfs_pid *entry, unsigned ids,
		       const unsigned long *args)
{
	int folder = ids & RFS_ID_NAME1 ? (int)args[0] : AT_FDCWD;
	rfs_addr name = args[ids & RFS_ID_NAME1 ? 1 : 0];

	if ((ids & RFS_ID_LINK) && rfs_pids_is_own_link(task, name))
		return true;
	if (ids & RFS_ID_OPENS)
		entry->text = rfs_proc_text_open(run, task, folder, &name);
	if (entry->text < 0 && !rfs_pids_put_name(run, task, folder, &name))
		return false;
	if (ids & RFS_ID_NAME1)
		rfs_task_regs_mut(task)->rsi = name;
	else
		rfs_task_regs_mut(task)->rdi = name;
	return true;
}

bool rfs_pids_begin(struct rfs_run *run, struct rfs_task *task, unsigned ids, const unsigned long *args)
{
	struct rfs_pid *entry = pids_by_real(run, rfs_task_tid(task));

	if (!ids || !entry)
		return false;
	if ((ids & RFS_ID_NAMES) && !begin_name(run, task, entry, ids, args))
		return false;
	if ((ids & RFS_ID_DATA) && !rfs_pids_data_begin(run, task, args, &entry->words))
		return false;
	entry->ids = ids;
	memcpy(entry->args, args, sizeof(entry->args));
	/* registers that do not change are not written */
	if (ids & RFS_ID_ARG0)
		rfs_task_regs_mut(task)->rdi = pids_real_of(run, args[0]);
	if ((ids & RFS_ID_ARG1) || ((ids & RFS_ID_SIGINFO) && (args[0] == P_PID || args[0] == P_PGID)))
		rfs_task_regs_mut(task)->rsi = pids_real_of(run, args[1]);
	return true;
}

/*
 * Corrects the result of readlink. In the arguments of the call, the buffer follows the name, and the size follows the
 * buffer.
 */
static void end_link(const struct rfs_run *run, struct rfs_task *task, unsigned ids, const unsigned long *args)
{
	const unsigned long *buffer = args + (ids & RFS_ID_NAME1 ? 2 : 1);
	struct user_regs_struct *regs = rfs_task_regs_mut(task);

	if (rfs_pids_is_own_link(task, buffer[-1]))
		regs->rax = (unsigned long)rfs_pids_put_link(run, task, buffer[0], buffer[1], (long)regs->rax);
}

void rfs_pids_end(struct rfs_run *run, struct rfs_task *task)
{
	struct rfs_pid *entry = pids_by_real(run, rfs_task_tid(task));
	const unsigned ids = entry ? entry->ids : 0;
	/* struct siginfo has si_pid at offset 16 */
	rfs_addr word = (ids & RFS_ID_SIGINFO) && entry->args[2] ? entry->args[2] + 16 : 0;
	struct user_regs_struct *regs;
	int id;

	if (!ids)
		return;
	entry->ids = 0;
	close_text(entry);
	regs = rfs_task_regs_mut(task);
	regs->rdi = entry->args[0];
	regs->rsi = entry->args[1];
	if (ids & RFS_ID_RESULT)
		regs->rax = (unsigned long)(long)rfs_pids_shown(run, (pid_t)regs->rax);
	if (ids & RFS_ID_DATA)
		rfs_pids_data_end(run, task, entry->args, &entry->words);
	if (ids & RFS_ID_LINK)
		end_link(run, task, ids, entry->args);
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
		pids_by_real(run, rfs_task_tid(child))->child_word = clone[2];
	(void)rfs_pids_begin(run, maker, RFS_ID_RESULT, args);
}

void rfs_pids_started(struct rfs_run *run, struct rfs_task *task)
{
	struct rfs_pid *entry = pids_by_real(run, rfs_task_tid(task));

	if (!entry || !entry->child_word)
		return;
	(void)!rfs_space_write(rfs_task_space(task), entry->child_word, &entry->shown, sizeof(entry->shown));
	entry->child_word = 0;
}

bool rfs_pids_in_call(const struct rfs_run *run, const struct rfs_task *task)
{
	const struct rfs_pid *entry = pids_by_real(run, rfs_task_tid(task));

	return entry && entry->ids;
}

bool rfs_pids_has_sender(const siginfo_t *info)
{
	/* signals from the kernel have no sender's id, except for SIGCHLD */
	return info->si_code != SI_TIMER && (info->si_code <= 0 || info->si_signo == SIGCHLD);
}

void rfs_pids_signal(const struct rfs_run *run, struct rfs_task *task, const siginfo_t *info)
{
	siginfo_t shown = *info;

	if (!rfs_pids_has_sender(info))
		return;
	shown.si_pid = rfs_pids_shown(run, info->si_pid);
	if (shown.si_pid != info->si_pid)
		rfs_task_set_siginfo(task, &shown);
}
