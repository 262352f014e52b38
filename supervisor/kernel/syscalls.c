/*
 * syscalls.c - the system calls that stop the target: those that wait, wake, tell the time or draw random bytes.
 *
 * Time is virtual: it starts at a fixed date, passes a little with every operation and every look at a clock, and
 * jumps when a sleep or a timeout is chosen. A loop that does nothing but look at the clock sees it pass faster and
 * faster. With a real clock each look adds the real time since the one before instead, and the sleeps that were chosen
 * come on top, as if they had been slept.
 */
#include "supervisor/kernel/syscalls.h"

#include <asm/prctl.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/access/stubs.h"
#include "supervisor/access/tsc_insns.h"
#include "supervisor/kernel/blocking.h"
#include "supervisor/kernel/directory.h"
#include "supervisor/kernel/input.h"
#include "supervisor/kernel/kernel_hb.h"
#include "supervisor/kernel/nondeterminism.h"
#include "supervisor/kernel/pids.h"
#include "supervisor/kernel/ports.h"
#include "supervisor/kernel/signals.h"
#include "supervisor/kernel/timers.h"
#include "supervisor/kernel/virtual_hardware.h"
#include "supervisor/state/events.h"
#include "supervisor/state/modules.h"
#include "supervisor/state/nondet.h"
#include "supervisor/state/park.h"
#include "supervisor/state/run_result.h"
#include "supervisor/state/run_spec.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/target_memory.h"
#include "supervisor/state/thread.h"
#include "supervisor/state/virtual_time.h"
#include "supervisor/sync/futex.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"

const int rfs_syscalls_traced[] = {SYS_futex,
				   SYS_exit,
				   SYS_sched_yield,
				   SYS_nanosleep,
				   SYS_clock_nanosleep,
				   SYS_clock_gettime,
				   SYS_gettimeofday,
				   SYS_time,
				   SYS_getrandom,
				   SYS_kill,
				   SYS_tkill,
				   SYS_tgkill,
				   SYS_rt_sigqueueinfo,
				   SYS_rt_tgsigqueueinfo,
				   SYS_rt_sigaction,
				   SYS_setitimer,
				   SYS_alarm,
				   SYS_getitimer,
				   SYS_timer_create,
				   SYS_timer_settime,
				   SYS_timer_gettime,
				   SYS_timer_getoverrun,
				   SYS_timer_delete,
				   SYS_timerfd_settime,
				   SYS_timerfd_gettime,
				   SYS_getdents64,
				   SYS_sysinfo,
				   SYS_getrusage,
				   SYS_times,
				   SYS_getcpu,
				   SYS_sched_getaffinity,
				   SYS_sched_setaffinity,
				   SYS_getpid,
				   SYS_gettid,
				   SYS_getppid,
				   SYS_getpgrp,
				   SYS_getpgid,
				   SYS_getsid,
				   SYS_setsid,
				   SYS_setpgid,
				   SYS_sched_setscheduler,
				   SYS_sched_getscheduler,
				   SYS_sched_setparam,
				   SYS_sched_getparam,
				   SYS_sched_rr_get_interval,
				   SYS_prlimit64,
				   SYS_getpriority,
				   SYS_setpriority,
				   SYS_pidfd_open,
				   SYS_process_vm_readv,
				   SYS_process_vm_writev,
				   SYS_stat,
				   SYS_lstat,
				   SYS_newfstatat,
				   SYS_statx,
				   SYS_access,
				   SYS_faccessat,
				   SYS_faccessat2,
				   SYS_chdir,
				   SYS_readlink,
				   SYS_readlinkat,
				   SYS_munmap,
				   SYS_mprotect,
				   SYS_pkey_mprotect,
				   SYS_shmat,
				   SYS_set_tid_address,
				   SYS_arch_prctl,
				   SYS_read,
				   SYS_readv,
				   SYS_recvfrom,
				   SYS_recvmsg,
				   SYS_recvmmsg,
				   SYS_accept,
				   SYS_accept4,
				   SYS_write,
				   SYS_writev,
				   SYS_sendto,
				   SYS_sendmsg,
				   SYS_sendmmsg,
				   SYS_bind,
				   SYS_listen,
				   SYS_connect,
				   SYS_getpeername,
				   SYS_getsockname,
				   SYS_getsockopt,
				   SYS_shutdown,
				   SYS_signalfd,
				   SYS_signalfd4,
				   SYS_poll,
				   SYS_ppoll,
				   SYS_select,
				   SYS_pselect6,
				   SYS_epoll_ctl,
				   SYS_epoll_wait,
				   SYS_epoll_pwait,
				   SYS_epoll_pwait2,
				   SYS_wait4,
				   SYS_waitid,
				   SYS_pause,
				   SYS_rt_sigsuspend,
				   SYS_rt_sigtimedwait,
				   SYS_flock,
				   SYS_fcntl,
				   SYS_open,
				   SYS_openat,
				   SYS_openat2,
				   SYS_creat,
				   SYS_splice,
				   SYS_tee,
				   SYS_vmsplice,
				   SYS_sendfile,
				   SYS_msgrcv,
				   SYS_msgsnd,
				   SYS_semop,
				   SYS_semtimedop,
				   SYS_mq_timedreceive,
				   SYS_mq_timedsend,
				   -1};
const int rfs_syscalls_enosys[] = {
	SYS_rseq, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register, SYS_futex_waitv, -1};
const int rfs_syscalls_eperm[] = {SYS_ptrace, -1};

/* What one look at a clock takes, at first, and at most; doubled after so many in a row. */
#define LOOK_NANOS 1000ull
#define LOOK_MAX_SHIFT 10
#define LOOK_DOUBLES 64
#define TSC_PER_NANO 2

static uint64_t real_nanos(clockid_t clock)
{
	struct timespec ts = {0};

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * RFS_NANOS + (uint64_t)ts.tv_nsec;
}

void rfs_clock_begin(struct rfs_run *run)
{
	run->now = run->clock_reads = 0;
	if (!run->spec->clock_real)
		return;
	/* such that CLOCK_REALTIME tells it */
	run->now = real_nanos(CLOCK_REALTIME) - RFS_START_REALTIME;
	(void)rfs_input_clock(run, NULL, &run->now);
	run->epoch = run->now;
	run->last_look = real_nanos(CLOCK_MONOTONIC);
}

/* thread NULL: a process beside the program, whose looks are not recorded */
static void look_at_clock(struct rfs_run *run, const struct rfs_thread *thread)
{
	uint64_t shift = run->clock_reads++ / LOOK_DOUBLES, real, now;

	if (run->spec->clock_real) {
		if (!thread)
			return;
		run->result->nondet.kinds |= 1u << RFS_NONDET_CLOCK;
		real = real_nanos(CLOCK_MONOTONIC);
		now = run->now + (real - run->last_look);
		(void)rfs_input_clock(run, thread, &now);
		run->last_look = real;
		run->now = now;
		return;
	}
	run->now += LOOK_NANOS << (shift < LOOK_MAX_SHIFT ? shift : LOOK_MAX_SHIFT);
}

void rfs_rdtsc(struct rfs_run *run, struct rfs_task *task, const struct rfs_thread *thread)
{
	struct user_regs_struct *regs = rfs_task_regs_mut(task);
	unsigned char code[3] = {0};
	uint64_t tsc;

	look_at_clock(run, thread);
	tsc = rfs_clock_now(run, CLOCK_MONOTONIC) * TSC_PER_NANO;
	regs->rax = tsc & 0xffffffffu;
	regs->rdx = tsc >> 32;
	(void)!rfs_space_read(rfs_task_space(task), regs->rip, code, sizeof(code));
	if (code[1] == 0x01) { /* rdtscp: 0f 01 f9 */
		regs->rcx = 0;
		regs->rip += 3;
	} else {
		regs->rip += 2;
	}
}

static enum rfs_then answer_time(struct rfs_run *run, struct rfs_thread *thread)
{
	uint64_t now;
	struct timespec ts;
	struct timeval tv;
	time_t seconds;
	long result = 0;

	look_at_clock(run, thread);
	switch (thread->number_nr) {
	case SYS_clock_gettime:
		now = rfs_clock_now(run, (int)thread->args[0]);
		ts = (struct timespec){(time_t)(now / RFS_NANOS), (long)(now % RFS_NANOS)};
		if (!rfs_poke(run, thread->args[1], &ts, sizeof(ts)))
			result = -EFAULT;
		break;
	case SYS_gettimeofday:
		now = rfs_clock_now(run, CLOCK_REALTIME);
		tv = (struct timeval){(time_t)(now / RFS_NANOS), (long)(now % RFS_NANOS / 1000)};
		if (thread->args[0] && !rfs_poke(run, thread->args[0], &tv, sizeof(tv)))
			result = -EFAULT;
		break;
	default:
		seconds = (time_t)(rfs_clock_now(run, CLOCK_REALTIME) / RFS_NANOS);
		result = (long)seconds;
		if (thread->args[0] && !rfs_poke(run, thread->args[0], &seconds, sizeof(seconds)))
			result = -EFAULT;
		break;
	}
	return rfs_syscall_answer(thread, result);
}

/* Fills a buffer of the target's with bytes of a stream that the seed determines. Bytes, or -EFAULT. */
static long fill_random(struct rfs_run *run, rfs_addr to, size_t left)
{
	unsigned char buf[256];
	size_t done = 0;

	if (left > 1u << 25)
		left = (1u << 25) - 1; /* what getrandom(2) gives at the most */
	while (done < left) {
		size_t n = left - done < sizeof(buf) ? left - done : sizeof(buf);

		for (size_t i = 0; i < n; i++) {
			run->random_state = XXH64(&run->random_state, sizeof(run->random_state), run->random_key);
			buf[i] = (unsigned char)run->random_state;
		}
		if (!rfs_poke(run, to + done, buf, n))
			return done ? (long)done : -EFAULT;
		done += n;
	}
	return (long)done;
}

enum rfs_then rfs_answer_random(struct rfs_run *run, struct rfs_thread *thread)
{
	struct iovec iov[16];
	size_t n = thread->args[2] < 16 ? thread->args[2] : 16;
	long result = 0, got;

	switch (thread->number_nr) {
	case SYS_getrandom:
		result = fill_random(run, thread->args[0], thread->args[1]);
		break;
	case SYS_readv:
		if (!rfs_peek(run, thread->args[1], iov, n * sizeof(*iov)))
			result = -EFAULT;
		for (size_t i = 0; i < n && result >= 0; i++) {
			got = fill_random(run, (rfs_addr)(uintptr_t)iov[i].iov_base, iov[i].iov_len);
			result = got < 0 ? got : result + got;
		}
		break;
	default:
		result = fill_random(run, thread->args[1], thread->args[2]);
		break;
	}
	return rfs_syscall_answer(thread, result);
}

static unsigned ready_asleep(struct rfs_run *run, struct rfs_thread *thread)
{
	unsigned due;

	if (thread->deadline <= run->now)
		return RFS_THREAD_ENABLED;
	due = rfs_ready_timed(run, false, thread->deadline);
	return due ? RFS_THREAD_ENABLED | RFS_THREAD_SLEEPS : 0;
}

static enum rfs_then go_awake(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_advance(run, thread->deadline);
	rfs_executed(run, thread, &thread->next, choice->outcome);
	return rfs_syscall_answer(thread, 0);
}

static enum rfs_then park_asleep(struct rfs_run *run, struct rfs_thread *thread)
{
	bool with_clock = thread->number_nr == SYS_clock_nanosleep;
	bool absolute = with_clock && (thread->args[1] & TIMER_ABSTIME);
	rfs_addr request = thread->args[with_clock ? 2 : 0];
	int error;

	if (absolute)
		error = rfs_deadline_from(run, request, (int)thread->args[0], &thread->deadline) ? 0 : -EINVAL;
	else
		error = rfs_deadline_after(run, request, &thread->deadline);
	if (error) {
		return rfs_syscall_answer(thread, error);
	}
	return rfs_park(run, thread, rfs_op_make(RFS_OP_SLEEP, thread->next.site, 0), ready_asleep, go_awake);
}

static enum rfs_then go_yield(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	return rfs_syscall_answer(thread, 0);
}

static enum rfs_then go_exit(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_emit_kind(run, thread, RFS_EVENT_SEND, rfs_message(RFS_MESSAGE_EXIT, (uint64_t)thread->number));
	return RFS_THEN_EXECUTE;
}

bool rfs_syscall_translate(struct rfs_run *run, struct rfs_task *task, long number, const unsigned long *args)
{
	bool ids = rfs_pids_begin(run, task, number, args);

	return rfs_ports_begin(run, task, number, args) || ids;
}

/* Lets the thread go on into the call. */
static enum rfs_then proceed_into(struct rfs_run *run, struct rfs_thread *thread)
{
	if (rfs_syscall_translate(run, thread->task, thread->number_nr, thread->args))
		return RFS_THEN_STOP_AT_EXIT;
	else
		return RFS_THEN_EXECUTE;
}

/* tgid, tid, signo; else: pid or tid, signo */
static bool is_group_kill(const struct rfs_thread *thread)
{
	return thread->number_nr == SYS_tgkill || thread->number_nr == SYS_rt_tgsigqueueinfo;
}

static enum rfs_then go_kill(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	int signo = (int)thread->args[is_group_kill(thread) ? 2 : 1];

	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_signal_sent(run, thread, thread->next.peer >= 0 ? run->threads[thread->next.peer] : NULL, signo);
	run->signals = true;
	return proceed_into(run, thread);
}

static enum rfs_then park_kill(struct rfs_run *run, struct rfs_thread *thread)
{
	bool group = is_group_kill(thread);
	struct rfs_op op = rfs_op_make(RFS_OP_KILL, thread->next.site, 0);
	struct rfs_thread *peer = rfs_thread_by_tid(run, (pid_t)thread->args[group ? 1 : 0]);

	if (peer && (group || thread->number_nr == SYS_tkill))
		op.peer = peer->number;
	return rfs_park(run, thread, op, rfs_ready_always, go_kill);
}

/* struct kernel_sigaction: handler, flags, restorer, mask. */
static void note_action(struct rfs_run *run, struct rfs_thread *thread)
{
	uint64_t action[4];
	unsigned long signo = thread->args[0];

	if (thread->args[1] && signo < 65 && rfs_peek(run, thread->args[1], action, sizeof(action))) {
		run->action_handler[signo] = action[0];
		run->action_flags[signo] = action[1];
		if (signo == SIGSEGV)
			memcpy(run->segv_action, action, sizeof(action));
	}
}

enum rfs_then rfs_go_interrupt(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_op op = rfs_op_make(RFS_OP_KILL, thread->next.site, 0);
	unsigned long mask = 0;
	bool restart;
	int signo;

	op.peer = thread->number;
	rfs_executed(run, thread, &op, RFS_OUTCOME_DONE);
	rfs_access_drop(thread);
	if (!thread->at_syscall) {
		return RFS_THEN_EXECUTE;
	}
	rfs_signal_waits(run, thread, &mask);
	signo = mask ? __builtin_ctzl(mask) + 1 : 0;
	restart = run->action_flags[signo] & SA_RESTART;
	switch (thread->next.kind) {
	case RFS_OP_SLEEP:
		restart = false;
		break;
	case RFS_OP_FUTEX_SLEEP:
		if (thread->args[3] != 0)
			restart = false; /* with a timeout it is never restarted: signal(7) */
		break;
	case RFS_OP_SYSCALL:
		if (thread->retry)
			restart = false; /* poll and its kin */
		break;
	default:
		restart = true; /* nothing that a signal interrupts */
		break;
	}
	rfs_blocking_drop(thread);
	if (restart)
		rfs_task_restart_syscall(thread->task);
	else
		rfs_task_answer_syscall(thread->task, -EINTR);
	return RFS_THEN_EXECUTE;
}

static unsigned ready_sigwait(struct rfs_run *run, struct rfs_thread *thread)
{
	unsigned long queued = 0, wanted = 0;
	bool there = false;

	if (rfs_peek(run, thread->args[0], &wanted, sizeof(wanted)))
		there = rfs_task_queued_signals(thread->task, &queued) == 0 && (queued & wanted);
	else
		there = true; /* fails at once */
	return rfs_ready_timed(run, there, there ? RFS_NEVER : thread->deadline);
}

static enum rfs_then go_sigwait(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (choice->outcome == RFS_OUTCOME_TIMED_OUT)
		return rfs_syscall_answer(thread, -EAGAIN);
	else
		return RFS_THEN_STOP_AT_EXIT; /* it is there: comes back at once */
}

/* sigwait and its kin: enabled by a signal that is queued, its timeout in virtual time. */
static enum rfs_then park_sigwait(struct rfs_run *run, struct rfs_thread *thread)
{
	int error = 0;

	thread->deadline = RFS_NEVER;
	if (thread->args[2])
		error = rfs_deadline_after(run, thread->args[2], &thread->deadline);
	if (error) {
		return rfs_syscall_answer(thread, error);
	}
	thread->retry = true;
	return rfs_park(run, thread, thread->next, ready_sigwait, go_sigwait);
}

static enum rfs_then other_call(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop)
{
	enum rfs_then then;
	long result;

	if (rfs_pids_answer(run, thread->task, stop->number, &result)) {
		return rfs_syscall_answer(thread, result);
		return true;
	}
	then = rfs_virtual_hardware_call(run, thread);
	if (then || rfs_pids_passes(stop->number))
		return then;
	return rfs_blocking_call(run, thread, stop);
}

enum rfs_then rfs_syscall_enter(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop)
{
	rfs_site site = rfs_site_of(run, rfs_task_regs(thread->task)->rip);
	enum rfs_then then = RFS_THEN_UNDECIDED;

	if (stop->number == SYS_mmap) {
		memcpy(thread->args, stop->args, sizeof(thread->args));
		if ((stop->args[3] & MAP_TYPE) != MAP_PRIVATE)
			rfs_nondet_map(run, thread);
		rfs_unknown_code_mapped(run, thread, stop->args[2]);
		if (!run->ended)
			return RFS_THEN_EXECUTE;
	}
	if (run->server_syscall && run->server_syscall(run, stop)) {
		return RFS_THEN_EXECUTE;
	}
	thread->number_nr = stop->number;
	thread->from_outside = false;
	memcpy(thread->args, stop->args, sizeof(thread->args));
	thread->next = rfs_op_make(RFS_OP_SYSCALL, site, 0);
	switch (stop->number) {
	case SYS_futex:
		return rfs_futex_call(run, thread, stop);
	case SYS_exit:
		return rfs_park(run, thread, rfs_op_make(RFS_OP_EXIT, site, 0), rfs_ready_always, go_exit);
	case SYS_sched_yield:
		return rfs_park(run, thread, rfs_op_make(RFS_OP_YIELD, site, 0), rfs_ready_always, go_yield);
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
		return park_asleep(run, thread);
	case SYS_clock_gettime:
	case SYS_gettimeofday:
	case SYS_time:
		return answer_time(run, thread);
	case SYS_getrandom:
		return rfs_answer_random(run, thread);
	case SYS_kill:
	case SYS_tkill:
	case SYS_tgkill:
	case SYS_rt_sigqueueinfo:
	case SYS_rt_tgsigqueueinfo:
		return park_kill(run, thread);
	case SYS_rt_sigaction:
		note_action(run, thread);
		break;
	case SYS_setitimer:
	case SYS_getitimer:
	case SYS_alarm:
	case SYS_timer_create:
	case SYS_timer_settime:
	case SYS_timer_gettime:
	case SYS_timer_getoverrun:
	case SYS_timer_delete:
	case SYS_timerfd_settime:
	case SYS_timerfd_gettime:
		then = rfs_timers_call(run, thread);
		break;
	case SYS_getdents64:
		then = rfs_directory_call(run, thread);
		break;
	case SYS_rt_sigtimedwait:
		return park_sigwait(run, thread);
	case SYS_getpeername:
	case SYS_getsockname:
	case SYS_getsockopt:
	case SYS_shutdown:
		then = rfs_input_query(run, thread);
		if (!then && rfs_pids_asks_peer(thread))
			then = RFS_THEN_STOP_AT_EXIT;
		break;
	case SYS_bind:
		then = rfs_input_bind(run, thread);
		break;
	case SYS_listen:
		break;
	case SYS_signalfd:
	case SYS_signalfd4:
		run->signal_fds = true;
		break;
	case SYS_epoll_ctl:
		rfs_epoll_changed(run, thread);
		break;
	case SYS_shmat:
		rfs_nondet_attach(run, thread);
		break;
	case SYS_munmap:
		rfs_emit_reset(run, thread, stop->args[0], stop->args[1]);
		break;
	case SYS_mprotect:
	case SYS_pkey_mprotect:
		if (stop->args[2] & PROT_WRITE)
			rfs_stubs_remove_patches(run, thread, stop->args[0], stop->args[1]);
		rfs_unknown_code_mapped(run, thread, stop->args[2]);
		if (run->ended)
			return RFS_THEN_END;
		break;
	case SYS_arch_prctl:
		if (stop->args[0] == ARCH_SET_GS)
			rfs_stubs_give_up(run, thread, RFS_GS_IN_USE);
		break;
	case SYS_set_tid_address:
		thread->clear_tid = stop->args[0];
		thread->tls = rfs_task_regs(thread->task)->fs_base;
		break;
	default:
		then = other_call(run, thread, stop);
		break;
	}
	return then ? then : proceed_into(run, thread);
}
