/* fake_tracer.c - the tasks of the target, what stops them, and how they continue. */
#include "tests/supervisor/fake_tracer/fake_tracer.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <linux/audit.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "tests/supervisor/fake_tracer/fake_space.h"
#include "tracer/breakpoint.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"
#include "tracer/trampoline.h"
#include "tracer/unwind.h"

#define CODE UINT64_C(0x200000)
#define CODE_SIZE 0x1000u /* of one thread */
#define STEP_SIZE 16u	  /* of the code of one step */
#define TRAMPOLINES UINT64_C(0x300000)
#define STACK_SIZE (FAKE_MEMORY_SIZE / 2 / FAKE_THREADS)
#define TICK_SECONDS 0.02
#define WAKES_UP_WAITS 3 /* how long a thread takes that another one has woken */

struct rfs_task {
	bool exists, leader, ended;
	int number;
	const struct fake_step *script, *step; /* step: the one that it is in; NULL: it has not begun */
	struct user_regs_struct regs;
	struct rfs_stop stop; /* the next one, if `waits`; otherwise the last one */
	bool waits;	      /* the stop was not reported yet */
	uint64_t order;	      /* of the stops that were not reported yet, the one with the least is next */
	bool running;
	rfs_addr passes; /* the breakpoint at this address does not stop it: it has stopped there */
	bool answered;
	long answer;
	const char *state; /* while it sleeps: its next states */
	int ticks;	   /* while it computes: how many are left */
	int wakes_up; /* in how many waits of the supervisor it is at the exit of its call; 0: it does not wake up */
	int status;   /* of its end */
	void *data;
};

struct rfs_tracer {
	const struct fake_step *const *scripts;
	struct rfs_task tasks[FAKE_THREADS];
	size_t n;
	uint64_t stops;
	double cpu_seconds;
	const int *traced; /* the system calls that stop; ends with -1; NULL: all */
	char log[4096];
};

static struct rfs_tracer the_tracer;

struct rfs_tracer *fake_tracer(void)
{
	return &the_tracer;
}

void fake_program(const struct fake_step *const *scripts)
{
	the_tracer = (struct rfs_tracer){.scripts = scripts};
	fake_space_clear();
}

const char *fake_log(void)
{
	return the_tracer.log;
}

void fake_log_clear(void)
{
	the_tracer.log[0] = 0;
}

static void note(const struct rfs_task *task, const char *what)
{
	size_t at = strlen(the_tracer.log);

	snprintf(the_tracer.log + at, sizeof(the_tracer.log) - at, "%s%d:%s", at ? " " : "", task->number, what);
}

static void note_number(const struct rfs_task *task, const char *what, long number)
{
	char line[128];

	snprintf(line, sizeof(line), "%s=%ld", what, number);
	note(task, line);
}

/* The code of this step, to which its call returns. */
static rfs_addr code_of(const struct rfs_task *task)
{
	return CODE + (unsigned)task->number * CODE_SIZE + (rfs_addr)(task->step - task->script + 1) * STEP_SIZE;
}

uint64_t fake_tls(int number)
{
	return FAKE_MEMORY + FAKE_MEMORY_SIZE - (unsigned)number * STACK_SIZE - 64;
}

static uint64_t tls_of(const struct rfs_task *task)
{
	return fake_tls(task->number);
}

bool fake_moves(void)
{
	for (size_t i = 0; i < the_tracer.n; i++) {
		const struct rfs_task *task = &the_tracer.tasks[i];

		if (task->exists && (task->waits || (task->running && (!task->state || *task->state != 'S'))))
			return true;
	}
	return false;
}

struct rfs_task *fake_thread(size_t script)
{
	struct rfs_task *task = &the_tracer.tasks[the_tracer.n];

	cr_assert_lt(the_tracer.n, FAKE_THREADS);
	*task = (struct rfs_task){.exists = true, .leader = the_tracer.n == 0, .number = (int)the_tracer.n};
	task->script = the_tracer.scripts[script];
	task->regs.rsp = tls_of(task) - 64;
	task->regs.fs_base = tls_of(task);
	task->regs.rip = CODE + (unsigned)task->number * CODE_SIZE;
	the_tracer.n++;
	return task;
}

bool fake_has_ended(uint64_t tls)
{
	for (size_t i = 0; i < the_tracer.n; i++)
		if (tls_of(&the_tracer.tasks[i]) == tls)
			return the_tracer.tasks[i].ended;
	return true;
}

/* The task stops. */
static void stop_at(struct rfs_task *task, struct rfs_stop stop)
{
	stop.task = task;
	task->stop = stop;
	task->waits = true;
	task->order = the_tracer.stops++;
	task->running = false;
}

/* The task, or with exit_group() each task, is about to end. */
static void ends(struct rfs_task *task, bool all, int status)
{
	for (size_t i = the_tracer.n; i-- > 0;) {
		struct rfs_task *t = &the_tracer.tasks[i];

		if (t->ended || (t != task && !all))
			continue;
		t->status = status;
		t->ended = true;
		stop_at(t, (struct rfs_stop){.kind = RFS_STOP_EXITING});
	}
}

/* What the function on whose entry the task stands does. False: the task has stopped, or it sleeps. */
static bool in_library(struct rfs_task *task, const char *function)
{
	const uint64_t args[6] = {task->regs.rdi, task->regs.rsi, task->regs.rdx, task->regs.rcx};
	struct rfs_task *child = NULL;
	rfs_addr back;
	long result;

	switch (fake_library_call(function, FAKE_PID + task->number, args, &result)) {
	case FAKE_SLEEPS:
		note(task, "sleeps");
		task->state = "S";
		return false;
	case FAKE_CLONES:
		child = fake_thread(args[2]);
		fake_put(args[0], &child->regs.fs_base, sizeof(child->regs.fs_base));
		break;
	case FAKE_RETURNS:
		break;
	}
	cr_assert_eq(rfs_space_read(fake_space(), task->regs.rsp, &back, sizeof(back)), 0);
	task->regs.rsp += sizeof(back);
	task->regs.rip = back;
	task->regs.rax = (uint64_t)result;
	if (!child)
		return true;
	/* the stop of clone(flags, stack, parent's word, child's word, thread pointer), which the function makes */
	task->regs.orig_rax = SYS_clone;
	task->regs.rsi = child->regs.rsp;
	task->regs.r8 = child->regs.fs_base;
	stop_at(task, (struct rfs_stop){.kind = RFS_STOP_CLONE,
					.child = child,
					.message = (unsigned long)(FAKE_PID + child->number)});
	stop_at(child, (struct rfs_stop){.kind = RFS_STOP_NEW});
	return false;
}

/* Whether the filter of the launch stops at the call. */
static bool is_traced(long number)
{
	const int *traced = the_tracer.traced;

	while (traced && *traced >= 0 && *traced != number)
		traced++;
	return !traced || *traced >= 0;
}

/* Begins the next step. False: the task has stopped. */
static bool begin_step(struct rfs_task *task)
{
	static const struct fake_step end = {0};
	const struct fake_step *s = task->step = task->step ? task->step + 1 : task->script;
	struct user_regs_struct *regs = &task->regs;
	struct rfs_stop stop = {.kind = RFS_STOP_SYSCALL, .number = s->number, .arch = AUDIT_ARCH_X86_64};
	rfs_addr back = code_of(task);

	if (s->function) {
		regs->rdi = s->args[0];
		regs->rsi = s->args[1];
		regs->rdx = s->args[2];
		regs->rcx = s->args[3];
		regs->rsp -= sizeof(back);
		fake_put(regs->rsp, &back, sizeof(back));
		regs->rip = fake_function(s->function);
		return true;
	}
	regs->rip = back;
	if (s->signo) {
		stop = (struct rfs_stop){.kind = RFS_STOP_SIGNAL, .info = {.si_signo = s->signo, .si_code = SI_USER}};
		stop_at(task, stop);
		return false;
	}
	if (s->interval) {
		task->ticks = s->interval;
		task->state = s->asleep;
		return false;
	}
	if (memcmp(s, &end, sizeof(end)) == 0)
		stop.number = task->leader ? SYS_exit_group : SYS_exit;
	for (int i = 0; i < 6; i++)
		stop.args[i] = s->args[i];
	regs->orig_rax = (unsigned long)stop.number;
	regs->rax = (unsigned long)-ENOSYS;
	regs->rdi = stop.args[0];
	regs->rsi = stop.args[1];
	regs->rdx = stop.args[2];
	if (!is_traced(stop.number)) {
		if (stop.number == SYS_exit || stop.number == SYS_exit_group) {
			ends(task, stop.number == SYS_exit_group, (int)stop.args[0]);
			return false;
		}
		regs->rax = (unsigned long)s->result;
		return true;
	}
	stop_at(task, stop);
	return false;
}

static void finish_step(const struct rfs_task *task)
{
	char call[32];

	if (!task->step)
		return;
	snprintf(call, sizeof(call), "syscall-%ld", task->step->number);
	if (task->step->function || task->step->number)
		note_number(task, task->step->function ? task->step->function : call, (long)task->regs.rax);
}

/* The task runs until it stops or sleeps. */
static void go(struct rfs_task *task)
{
	for (;;) {
		const rfs_addr at = task->regs.rip;
		const char *function = fake_function_at(at);
		struct rfs_stop stop = {.kind = RFS_STOP_BREAKPOINT, .address = at};

		stop.breakpoint = rfs_breakpoint_at(fake_space(), at);
		if ((stop.breakpoint || (at >= TRAMPOLINES && at < TRAMPOLINES + 16 * RFS_TRAMPOLINES)) &&
		    task->passes != at) {
			task->passes = at;
			stop_at(task, stop);
			return;
		}
		task->passes = 0;
		if (function) {
			if (!in_library(task, function))
				return;
			continue;
		}
		finish_step(task);
		if (!begin_step(task))
			return;
	}
}

/* The kernel executes the system call of the task, or the tracer has answered it. */
static void in_kernel(struct rfs_task *task, bool to_exit)
{
	const long number = task->stop.number;

	if (task->answered) {
		task->regs.rax = (unsigned long)task->answer;
	} else if (number == SYS_exit || number == SYS_exit_group) {
		ends(task, number == SYS_exit_group, (int)task->stop.args[0]);
		return;
	} else {
		task->regs.rax = (unsigned long)task->step->result;
	}
	if (!task->answered && task->step->wakes) {
		struct rfs_task *sleeper = &the_tracer.tasks[task->step->wakes];

		sleeper->state = NULL;
		sleeper->wakes_up = WAKES_UP_WAITS;
	}
	if (!task->answered && task->step->sleeps) {
		task->state = task->step->sleeps;
		return;
	}
	task->answered = false;
	if (to_exit)
		stop_at(task, (struct rfs_stop){.kind = RFS_STOP_SYSCALL_EXIT});
	else
		go(task);
}

int rfs_task_resume(struct rfs_task *task, enum rfs_resume how, int signo)
{
	const struct rfs_stop stop = task->stop;

	cr_assert_not(task->waits, "thread %d is resumed before its stop is reported", task->number);
	cr_assert_not(task->running, "thread %d is resumed, but it runs", task->number);
	for (size_t i = 0; i < the_tracer.n; i++)
		cr_expect_not(the_tracer.tasks[i].wakes_up, "thread %d goes on while thread %zu wakes up", task->number,
			      i);
	task->running = true;
	switch (stop.kind) {
	case RFS_STOP_EXITING:
		if (task->status & 0x100)
			stop_at(task, (struct rfs_stop){.kind = RFS_STOP_KILLED, .status = task->status & 0x7f});
		else
			stop_at(task, (struct rfs_stop){.kind = RFS_STOP_EXITED, .status = task->status});
		return 0;
	case RFS_STOP_SYSCALL:
		if (how == RFS_RESUME_LAST) {
			task->ended = true;
			stop_at(task, (struct rfs_stop){.kind = RFS_STOP_EXITED, .status = (int)stop.args[0]});
			return 0;
		}
		in_kernel(task, how == RFS_RESUME_SYSCALL);
		return 0;
	case RFS_STOP_CLONE:
		if (how == RFS_RESUME_SYSCALL) {
			task->regs.rax = stop.message;
			stop_at(task, (struct rfs_stop){.kind = RFS_STOP_SYSCALL_EXIT});
			return 0;
		}
		break;
	case RFS_STOP_SIGNAL:
		note_number(task, "signal", signo);
		if (signo == SIGKILL || signo == SIGSEGV || signo == SIGABRT) {
			ends(task, true, 0x100 | signo);
			return 0;
		}
		break;
	case RFS_STOP_SYSCALL_EXIT:
		if (task->step && task->step->function)
			task->regs.rax = 0;
		break;
	default:
		break;
	}
	if (how == RFS_RESUME_STEP)
		stop_at(task, (struct rfs_stop){.kind = RFS_STOP_STEP});
	else if (!task->ticks) /* otherwise it computes on */
		go(task);
	return 0;
}

/* A tick of the supervisor's clock passes while a thread computes. */
static int tick(struct rfs_task *task)
{
	the_tracer.cpu_seconds += task->state ? 0 : TICK_SECONDS;
	if (--task->ticks == 0) {
		task->state = NULL;
		go(task);
	}
	raise(SIGALRM);
	return 0;
}

int rfs_tracer_wait(struct rfs_tracer *tracer, int timeout_ms, struct rfs_stop *out)
{
	struct rfs_task *next = NULL;
	bool any = false;

	for (size_t i = 0; i < tracer->n; i++) {
		struct rfs_task *task = &tracer->tasks[i];

		any = any || task->exists;
		if (task->exists && task->waits && (!next || task->order < next->order))
			next = task;
	}
	for (size_t i = 0; i < tracer->n && !next; i++)
		if (tracer->tasks[i].exists && tracer->tasks[i].ticks && tracer->tasks[i].running)
			return tick(&tracer->tasks[i]);
	for (size_t i = 0; i < tracer->n && !next; i++) {
		struct rfs_task *task = &tracer->tasks[i];

		if (!task->wakes_up)
			continue;
		if (--task->wakes_up)
			return 0;
		stop_at(task, (struct rfs_stop){.kind = RFS_STOP_SYSCALL_EXIT});
		next = task;
	}
	if (!any)
		return -ECHILD;
	cr_assert(next || timeout_ms >= 0, "the supervisor waits for ever; the target did: %s", tracer->log);
	if (!next)
		return 0;
	next->waits = false;
	*out = next->stop;
	if (out->kind == RFS_STOP_EXITED || out->kind == RFS_STOP_KILLED)
		note(next, "end");
	return 1;
}

int rfs_tracer_launch(const struct rfs_launch *launch, struct rfs_tracer **out, struct rfs_tracer_info *info, char *why,
		      size_t n)
{
	(void)why;
	(void)n;
	*info = (struct rfs_tracer_info){0};
	*out = &the_tracer;
	the_tracer.traced = launch->traced;
	stop_at(fake_thread(0), (struct rfs_stop){.kind = RFS_STOP_EXEC, .message = FAKE_PID});
	return 0;
}

void rfs_tracer_free(struct rfs_tracer *tracer)
{
	(void)tracer;
	fake_space_release();
}

void rfs_tracer_kill(struct rfs_tracer *tracer)
{
	ends(&tracer->tasks[0], true, 0x100 | SIGKILL);
}

void rfs_task_jump(struct rfs_task *task, rfs_addr to)
{
	task->regs.rip = task->passes = to;
}

int rfs_task_interrupt(struct rfs_task *task)
{
	note(task, "interrupted");
	stop_at(task, (struct rfs_stop){.kind = RFS_STOP_INTERRUPT});
	return 0;
}

void rfs_task_forget(struct rfs_task *task)
{
	task->exists = false;
}

pid_t rfs_task_tid(const struct rfs_task *task)
{
	return FAKE_PID + task->number;
}

pid_t rfs_task_pid(const struct rfs_task *task)
{
	(void)task;
	return FAKE_PID;
}

struct rfs_space *rfs_task_space(const struct rfs_task *task)
{
	(void)task;
	return fake_space();
}

struct rfs_task *rfs_tracer_task(const struct rfs_tracer *tracer, pid_t tid)
{
	(void)tracer;
	return tid >= FAKE_PID && (size_t)(tid - FAKE_PID) < the_tracer.n ? &the_tracer.tasks[tid - FAKE_PID] : NULL;
}

static pid_t real_process;

void fake_process(pid_t pid)
{
	real_process = pid;
}

pid_t rfs_tracer_pid(const struct rfs_tracer *tracer)
{
	(void)tracer;
	return real_process ? real_process : FAKE_PID;
}

void rfs_tracer_take_fork(struct rfs_tracer *tracer, unsigned nth)
{
	(void)tracer;
	(void)nth;
}

void rfs_tracer_keep_forks(struct rfs_tracer *tracer, bool keep)
{
	(void)tracer;
	(void)keep;
}

pid_t rfs_tracer_root(const struct rfs_tracer *tracer)
{
	(void)tracer;
	return FAKE_PID;
}

void rfs_task_set_data(struct rfs_task *task, void *data)
{
	task->data = data;
}

void *rfs_task_data(const struct rfs_task *task)
{
	return task->data;
}

const struct user_regs_struct *rfs_task_regs(struct rfs_task *task)
{
	return &task->regs;
}

struct user_regs_struct *rfs_task_regs_mut(struct rfs_task *task)
{
	return &task->regs;
}

void rfs_task_answer_syscall(struct rfs_task *task, long result)
{
	task->answered = true;
	task->answer = result;
}

void rfs_task_restart_syscall(struct rfs_task *task)
{
	(void)task;
}

char rfs_task_state(const struct rfs_task *task)
{
	struct rfs_task *t = &the_tracer.tasks[task->number];

	if (t->ended)
		return 'Z';
	if (!t->state)
		return t->running ? 'R' : 't';
	return t->state[1] ? *t->state++ : *t->state;
}

long rfs_task_syscall(const struct rfs_task *task, unsigned long args[6])
{
	(void)args;
	return task->step && task->step->number ? task->step->number : SYS_futex;
}

double rfs_tracer_cpu_seconds(const struct rfs_tracer *tracer)
{
	return tracer->cpu_seconds;
}

rfs_addr rfs_space_trampoline(struct rfs_task *task, int i)
{
	(void)task;
	return TRAMPOLINES + (unsigned)i * 16u;
}

size_t rfs_task_stack_at(struct rfs_task *task, rfs_addr at, rfs_addr *out, size_t max)
{
	if (max)
		out[0] = at;
	if (max > 1)
		out[1] = code_of(task);
	return max < 2 ? max : 2;
}

size_t rfs_task_stack(struct rfs_task *task, rfs_addr *out, size_t max)
{
	return task->step ? rfs_task_stack_at(task, task->regs.rip, out, max) : 0;
}
