/*
 * time_calls.c - clocks and sleeps, in virtual time.
 *
 * Virtual time starts at a fixed date and passes a little with every operation and every read of a clock. It jumps when
 * a sleep or a timeout is chosen. A loop that only reads the clock sees time pass faster and faster. With --clock=real,
 * each read of a clock adds the real time since the last read instead. With --clock=real too, a sleep that was chosen
 * adds its whole time, as if the thread had slept.
 */
#include "supervisor/kernel/calls/time_calls.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/kernel/calls/call_faults.h"
#include "supervisor/kernel/core/kernel_state.h"
#include "supervisor/kernel/input/input.h"
#include "supervisor/kernel/signals/timers.h"
#include "supervisor/record/nondet.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/faults.h"
#include "supervisor/state/operations/park.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"

/*
 * One read of a clock takes LOOK_NANOS of virtual time. This time doubles after every LOOK_DOUBLES reads in a row, at
 * most LOOK_MAX_SHIFT times. A loop that waits for a time may yield between two reads.
 */
#define LOOK_NANOS 1000ull
#define LOOK_MAX_SHIFT 10
#define LOOK_DOUBLES 64
#define TSC_PER_NANO 2

void rfs_clock_begin(struct rfs_run *run)
{
	run->time.now = run->kernel->clock.looks = 0;
	if (!run->spec->clock_real)
		return;
	/* chosen so that CLOCK_REALTIME is the real time */
	run->time.now = rfs_clock_real(CLOCK_REALTIME) - RFS_START_REALTIME;
	(void)rfs_input_clock(run, NULL, &run->time.now);
	run->time.epoch = run->time.now;
	run->kernel->clock.last_look = rfs_clock_real(CLOCK_MONOTONIC);
}

/*
 * Lets time pass for one read of a clock. thread NULL: a child process reads the clock. Its reads are not recorded, and
 * the program's time does not depend on them, because children that run at the same time do so in any order.
 */
static void look_at_clock(struct rfs_run *run, const struct rfs_thread *thread)
{
	struct rfs_clock *clock = &run->kernel->clock;
	uint64_t shift, real, now;

	if (!thread) {
		clock->of_children += LOOK_NANOS;
		return;
	}

	if (clock->steps != run->result->counts.steps)
		clock->looks = 0;
	clock->steps = run->result->counts.steps;
	clock->reads++;
	shift = clock->looks++ / LOOK_DOUBLES;
	if (run->spec->clock_real) {
		run->result->nondet.kinds |= 1u << RFS_NONDET_CLOCK;
		real = rfs_clock_real(CLOCK_MONOTONIC);
		now = run->time.now + (real - clock->last_look);
		(void)rfs_input_clock(run, thread, &now);
		clock->last_look = real;
		run->time.now = now;
		return;
	}
	run->time.now += LOOK_NANOS << (shift < LOOK_MAX_SHIFT ? shift : LOOK_MAX_SHIFT);
}

void rfs_clock_yielded(struct rfs_run *run)
{
	struct rfs_clock *clock = &run->kernel->clock;

	if (clock->steps + 1 == run->result->counts.steps)
		clock->steps++;
}

void rfs_rdtsc(struct rfs_run *run, struct rfs_task *task, const struct rfs_thread *thread)
{
	struct user_regs_struct *regs = rfs_task_regs_mut(task);
	unsigned char code[3] = {0};
	uint64_t tsc;

	look_at_clock(run, thread);
	tsc = (rfs_clock_now(run, CLOCK_MONOTONIC) + (thread ? 0 : run->kernel->clock.of_children)) * TSC_PER_NANO;
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

enum rfs_then rfs_sys_clock_gettime(struct rfs_run *run, struct rfs_thread *thread)
{
	struct timespec ts;
	uint64_t now;

	look_at_clock(run, thread);
	now = rfs_clock_now(run, (int)thread->args[0]);
	ts = (struct timespec){(time_t)(now / RFS_NANOS), (long)(now % RFS_NANOS)};
	return rfs_syscall_answer(thread, rfs_poke(run, thread->args[1], &ts, sizeof(ts)) ? 0 : -EFAULT);
}

enum rfs_then rfs_sys_gettimeofday(struct rfs_run *run, struct rfs_thread *thread)
{
	rfs_addr to = thread->args[0];
	struct timeval tv;
	uint64_t now;

	look_at_clock(run, thread);
	now = rfs_clock_now(run, CLOCK_REALTIME);
	tv = (struct timeval){(time_t)(now / RFS_NANOS), (long)(now % RFS_NANOS / 1000)};
	return rfs_syscall_answer(thread, !to || rfs_poke(run, to, &tv, sizeof(tv)) ? 0 : -EFAULT);
}

enum rfs_then rfs_sys_time(struct rfs_run *run, struct rfs_thread *thread)
{
	rfs_addr to = thread->args[0];
	time_t seconds;

	look_at_clock(run, thread);
	seconds = (time_t)(rfs_clock_now(run, CLOCK_REALTIME) / RFS_NANOS);
	return rfs_syscall_answer(thread,
				  !to || rfs_poke(run, to, &seconds, sizeof(seconds)) ? (long)seconds : -EFAULT);
}

bool rfs_child_reads_clock(const struct rfs_run *run, const struct rfs_stop *stop, long *result)
{
	const bool of_clock = stop->number == SYS_clock_gettime, of_day = stop->number == SYS_gettimeofday;
	const rfs_addr to = stop->args[of_clock ? 1 : 0];
	int64_t t[2];
	uint64_t now;

	if ((!of_clock && !of_day && stop->number != SYS_time) || (of_day && stop->args[1]) ||
	    !rfs_clock_of_child(run, of_clock ? (int)stop->args[0] : CLOCK_REALTIME, &now))
		return false;
	t[0] = (int64_t)(now / RFS_NANOS);
	t[1] = (int64_t)(now % RFS_NANOS / (of_day ? 1000 : 1));
	*result = stop->number == SYS_time ? t[0] : 0;
	if ((of_clock || to) &&
	    rfs_space_write(rfs_task_space(stop->task), to, t, stop->number == SYS_time ? sizeof(*t) : sizeof(t)))
		*result = -EFAULT;
	return true;
}

/*
 * Answers a call that only asks how the clock is adjusted. The values are those of a machine that no time server
 * controls. A call that adjusts the clock is left to the kernel.
 */
enum rfs_then rfs_sys_adjtimex(struct rfs_run *run, struct rfs_thread *thread)
{
	const bool of_clock = thread->syscall == SYS_clock_adjtime;
	const rfs_addr at = thread->args[of_clock ? 1 : 0];
	struct timex x;
	uint64_t now;

	if ((of_clock && thread->args[0] != CLOCK_REALTIME) || !rfs_peek(run, at, &x, sizeof(x)) || x.modes)
		return RFS_THEN_UNDECIDED;
	look_at_clock(run, thread);
	now = rfs_clock_now(run, CLOCK_REALTIME);
	x = (struct timex){.status = STA_UNSYNC,
			   .maxerror = 16000000,
			   .esterror = 16000000,
			   .constant = 2,
			   .precision = 1,
			   .tolerance = 32768000,
			   .tick = 10000,
			   .time = {(time_t)(now / RFS_NANOS), (suseconds_t)(now % RFS_NANOS / 1000)}};
	return rfs_syscall_answer(thread, rfs_poke(run, at, &x, sizeof(x)) ? TIME_ERROR : -EFAULT);
}

static unsigned ready_asleep(struct rfs_run *run, struct rfs_thread *thread)
{
	unsigned due;

	if (thread->deadline <= run->time.now)
		return RFS_THREAD_ENABLED;
	due = rfs_timers_ready(run, false, thread->deadline, true);
	return due ? RFS_THREAD_ENABLED | RFS_THREAD_SLEEPS : 0;
}

static enum rfs_then go_awake(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	enum rfs_then then;

	if (rfs_call_fault(run, thread, choice, &then))
		return then;
	if (choice->outcome == RFS_OUTCOME_FAULT) {
		rfs_executed(run, thread, &thread->next, choice->outcome);
		rfs_fault_happened(run, thread, "the sleep", RFS_FAULT_ENDED_LATE);
		thread->deadline += RFS_FAULT_LATE_NANOS;
		return rfs_park(run, thread, rfs_op_make(RFS_OP_SLEEP, thread->next.site, 0), ready_asleep, go_awake);
	}
	rfs_advance(run, thread->deadline);
	rfs_executed(run, thread, &thread->next, choice->outcome);
	return rfs_syscall_answer(thread, 0);
}

/*
 * Parks the thread until thread->deadline. error: the deadline could not be computed, so the call returns this error.
 */
static enum rfs_then park_asleep(struct rfs_run *run, struct rfs_thread *thread, int error)
{
	struct rfs_op op = rfs_op_make(RFS_OP_SLEEP, thread->next.site, 0);

	if (error)
		return rfs_syscall_answer(thread, error);
	op.access = rfs_call_fault_offer(run, thread, false);
	return rfs_park(run, thread, op, ready_asleep, go_awake);
}

enum rfs_then rfs_sys_nanosleep(struct rfs_run *run, struct rfs_thread *thread)
{
	return park_asleep(run, thread, rfs_deadline_after(run, thread->args[0], &thread->deadline));
}

enum rfs_then rfs_sys_clock_nanosleep(struct rfs_run *run, struct rfs_thread *thread)
{
	int clock = (int)thread->args[0], error;

	if (thread->args[1] & TIMER_ABSTIME)
		error = rfs_deadline_from(run, thread->args[2], clock, &thread->deadline) ? 0 : -EINVAL;
	else
		error = rfs_deadline_after(run, thread->args[2], &thread->deadline);
	return park_asleep(run, thread, error);
}
