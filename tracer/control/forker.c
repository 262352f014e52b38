/*
 * Copies of a stopped program.
 *
 * A copy is made without the C library, but its state must be the one that the C library expects after a fork. In a
 * process of one thread, glibc's _Fork() does two things (sysdeps/nptl/_Fork.c, arch-fork.h), and both are done here.
 * _Fork() itself cannot be called: a static program may lack it, and it does not accept CLONE_PARENT, which makes the
 * copy our child.
 *
 *   - _Fork() makes the kernel write the new thread id into the thread's descriptor (CLONE_CHILD_SETTID), at the
 *     address that was given to set_tid_address(2). A raw fork leaves the old id there. That breaks abort() and the
 *     mutexes that name their owner (error-checking, recursive, robust, priority-inheriting). If the word at that
 *     address is not the thread's id, the library uses it for something else, and the program is refused;
 *   - _Fork() registers the list of robust mutexes again, because the kernel forgets it at a fork. The list must be
 *     empty.
 *
 * The original waits inside the loop below, in the gate page (trampoline.c). Each turn of the loop makes one copy. It
 * costs one stop of the original and one of the copy. The copy then restores its registers itself, except the flags,
 * which have no meaning at the start of a function.
 *
 *     again: syscall                    clone(CLONE_PARENT | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD)
 *            test %eax,%eax             the original stops at the event, inside the call
 *            jz   copy
 *            js   failed
 *            mov  $SYS_clone,%eax
 *            jmp  again
 *     failed: int3
 *     copy:  mov  $SYS_set_robust_list,%eax
 *            mov  %r12,%rdi
 *            mov  %r13,%rsi
 *            syscall
 *            mov  value(%rip),%register  for each register changed above
 *            jmp  *value(%rip)
 */
#include "tracer/forker.h"

#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <uthash.h>

#include "disasm/addr.h"
#include "tracer/code/breakpoint-priv.h"
#include "tracer/control/control-priv.h"
#include "tracer/memory.h"
#include "tracer/modules/unwind-priv.h"
#include "tracer/places/trampoline-priv.h"
#include "tracer/process/code_bytes-priv.h"
#include "tracer/process/resume-priv.h"
#include "tracer/process/space-priv.h"
#include "tracer/process/stop-priv.h"
#include "tracer/process/task-priv.h"
#include "tracer/process/tracer-priv.h"
#include "tracer/process/wait-priv.h"
#include "tracer/stops/exec-priv.h"
#include "tracer/tasks/space_life-priv.h"
#include "tracer/tasks/task_life-priv.h"

static const unsigned char loop_code[] = {
	0x0f, 0x05,		/* again: syscall */
	0x85, 0xc0,		/* test %eax,%eax */
	0x74, 0x0a,		/* jz copy */
	0x78, 0x07,		/* js failed */
	0xb8, 0x38, 0,	  0, 0, /* mov $SYS_clone,%eax */
	0xeb, 0xf1,		/* jmp again */
	0xcc,			/* failed: int3 */
	0xb8, 0x11, 0x01, 0, 0, /* copy: mov $SYS_set_robust_list,%eax */
	0x4c, 0x89, 0xe7,	/* mov %r12,%rdi */
	0x4c, 0x89, 0xee,	/* mov %r13,%rsi */
	0x0f, 0x05,		/* syscall */
};

/* The registers that the loop changes, by their numbers in instructions (Intel SDM volume 2, section 2.1). */
enum { RAX, RCX, RDX, RSI = 6, RDI, R8, R10 = 10, R11, R12, R13 };
static const unsigned char changed[] = {RAX, RCX, RDX, RSI, RDI, R8, R10, R11, R12, R13};
#define CHANGED sizeof(changed)
/* Offset of the data after the code: the values of these registers, then the address at which the copy continues. */
#define VALUES 128
#define LOAD_SIZE 7
#define JUMP_SIZE 6
_Static_assert(sizeof(loop_code) + CHANGED * LOAD_SIZE + JUMP_SIZE <= VALUES, "the code overlaps its values");

struct rfs_forker {
	struct rfs_task *task;	      /* borrowed */
	struct user_regs_struct regs; /* the state in which copies continue */
	rfs_addr loop, clear_tid;
	uint64_t robust, robust_size;
	bool keeps_id; /* the target does not see the kernel's id, so the word at clear_tid stays */
	bool looping;  /* the task is inside the clone call of the loop; otherwise it must first be sent to the loop */
};

static int __attribute__((format(printf, 3, 4))) forker_refuse(char *why, size_t n, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, n, format, ap);
	va_end(ap);
	return -ENOTSUP;
}

/* Reads where the list of robust mutexes is. Refuses the program if it is not empty, that is, if its head does not
 * point to itself (linux/futex.h, struct robust_list_head). */
static int look_at_robust_list(struct rfs_forker *forker, char *why, size_t n)
{
	struct rfs_task *task = forker->task;
	void *head = NULL;
	size_t size = 0;
	uint64_t first;

	if (syscall(SYS_get_robust_list, task->tid, &head, &size))
		return forker_refuse(why, n, "cannot read the program's list of robust mutexes: %s", strerror(errno));
	forker->robust = (uint64_t)(uintptr_t)head;
	forker->robust_size = head ? size : sizeof(uint64_t[3]);
	if (!head)
		return 0;
	if (rfs_space_read(task->space, forker->robust, &first, sizeof(first)) || first != forker->robust)
		return forker_refuse(why, n, "the program holds a robust mutex before main");
	return 0;
}

static int look_at_tid(const struct rfs_task *task, rfs_addr clear_tid, pid_t known, char *why, size_t n)
{
	pid_t tid;

	if (!clear_tid || rfs_space_read(task->space, clear_tid, &tid, sizeof(tid)) || tid != known)
		return forker_refuse(why, n, "the place where the C library keeps the thread id is unknown");
	return 0;
}

static uint64_t forker_value_of(const struct user_regs_struct *regs, int number)
{
	switch (number) {
	case RAX:
		return regs->rax;
	case RCX:
		return regs->rcx;
	case RDX:
		return regs->rdx;
	case RSI:
		return regs->rsi;
	case RDI:
		return regs->rdi;
	case R8:
		return regs->r8;
	case R10:
		return regs->r10;
	case R11:
		return regs->r11;
	case R12:
		return regs->r12;
	default:
		return regs->r13;
	}
}

static void put_displacement(unsigned char *code, size_t at, size_t value)
{
	int32_t displacement = (int32_t)(VALUES + value * sizeof(uint64_t) - (at + sizeof(displacement)));

	memcpy(code + at, &displacement, sizeof(displacement));
}

static int write_code(const struct rfs_forker *forker)
{
	unsigned char code[VALUES + (CHANGED + 1) * sizeof(uint64_t)];
	uint64_t values[CHANGED + 1];
	size_t at = sizeof(loop_code);

	memset(code, 0xcc, sizeof(code));
	memcpy(code, loop_code, sizeof(loop_code));
	for (size_t i = 0; i < CHANGED; i++) {
		values[i] = forker_value_of(&forker->regs, changed[i]);
		code[at++] = 0x48 | (changed[i] >= R8 ? 4 : 0); /* REX.W, REX.R */
		code[at++] = 0x8b;
		code[at++] = (unsigned char)((changed[i] & 7) << 3 | 5); /* disp32(%rip) */
		put_displacement(code, at, i);
		at += 4;
	}
	values[CHANGED] = forker->regs.rip;
	code[at++] = 0xff;
	code[at++] = 0x25;
	put_displacement(code, at, CHANGED);
	memcpy(code + VALUES, values, sizeof(values));
	return rfs_space_poke(forker->task->space, forker->loop, code, sizeof(code));
}

int rfs_forker_new(struct rfs_task *task, rfs_addr clear_tid, pid_t shown, struct rfs_forker **out, char *why, size_t n)
{
	struct rfs_forker *forker;
	int r;

	if (task->state != RFS_TASK_STOPPED)
		return -ESRCH;
	if (!task->space->gate || HASH_COUNT(task->tracer->tasks) != 1)
		return forker_refuse(why, n, "the program's memory has no room for the code that copies it");
	forker = calloc(1, sizeof(*forker));
	if (!forker)
		return -ENOMEM;
	forker->task = task;
	forker->loop = task->space->gate + RFS_GATE_FORK;
	r = look_at_tid(task, clear_tid, shown ? shown : task->tid, why, n);
	if (!r)
		r = look_at_robust_list(forker, why, n);
	forker->regs = *rfs_task_regs(task);
	forker->regs.orig_rax = ~0ull;
	forker->clear_tid = clear_tid;
	forker->keeps_id = shown != 0;
	if (!r && write_code(forker))
		r = -ESRCH;
	if (!r)
		r = rfs_breakpoints_reserve(task);
	if (!r)
		r = rfs_unwind_ready(task);
	if (r) {
		free(forker);
		return r;
	}
	*out = forker;
	return 0;
}

void rfs_forker_free(struct rfs_forker *forker)
{
	free(forker);
}

/* Sets the registers for the first turn of the loop. */
static void enter_loop(struct rfs_forker *forker)
{
	struct user_regs_struct *regs = rfs_task_regs_mut(forker->task);

	*regs = forker->regs;
	regs->rip = forker->loop;
	regs->rax = SYS_clone;
	regs->rdi = CLONE_PARENT | CLONE_CHILD_CLEARTID | SIGCHLD | (forker->keeps_id ? 0 : CLONE_CHILD_SETTID);
	regs->rsi = regs->rdx = regs->r8 = 0;
	regs->r10 = forker->clear_tid;
	regs->r12 = forker->robust;
	regs->r13 = forker->robust_size;
}

/* Lets the original make one turn of the loop. Returns 0 and *pid of the copy, -EAGAIN or -ESRCH. */
static int turn(struct rfs_forker *forker, pid_t *pid)
{
	struct rfs_task *task = forker->task;
	unsigned long message = 0;
	struct rfs_raw raw;
	int status, r;

	if (!forker->looping)
		enter_loop(forker);
	forker->looping = false;
	for (;;) {
		r = rfs_task_continue(task, PTRACE_CONT, 0);
		if (!r)
			r = rfs_wait_task(task, &status);
		if (r)
			return -ESRCH;
		raw = rfs_stop_decode(status);
		/* which of the two events the kernel reports depends on the flags of the call */
		if (raw.kind == RFS_RAW_FORK || raw.kind == RFS_RAW_CLONE)
			break;
		if (raw.kind == RFS_RAW_TRAP)
			return -EAGAIN;
		/* a signal from outside: it is dropped */
	}
	forker->looping = true;
	if (ptrace(PTRACE_GETEVENTMSG, task->tid, 0, &message))
		return -ESRCH;
	*pid = (pid_t)message;
	return 0;
}

/* Waits for the first stop of the copy, which is still inside the clone call. */
static int bear(struct rfs_task *task)
{
	int status, r = rfs_wait_task(task, &status);

	if (!r)
		setpgid(task->tid, task->tid);
	return r;
}

static int copy_tracer(const struct rfs_tracer *from, struct rfs_tracer **out)
{
	struct rfs_tracer *tracer = rfs_tracer_new(from->rules);

	if (!tracer)
		return -ENOMEM;
	tracer->original = from->pid;
	tracer->decoder = from->decoder;
	tracer->takes_fork = from->takes_fork;
	tracer->keeps_forks = from->keeps_forks;
	*out = tracer;
	return 0;
}

int rfs_forker_fork(struct rfs_forker *forker, struct rfs_tracer **out, struct rfs_task **task)
{
	struct rfs_task *original = forker->task, *copy;
	struct rfs_tracer *tracer;
	struct rfs_space *space;
	pid_t pid;
	int r = copy_tracer(original->tracer, &tracer);

	if (r)
		return r;
	rfs_breakpoints_prepare(original->space);
	r = turn(forker, &pid);
	if (r)
		goto out;
	tracer->root = tracer->pid = pid;
	copy = rfs_task_new(tracer, pid);
	r = copy ? rfs_space_copy(original, copy, &space) : -ENOMEM;
	if (r)
		goto out;
	rfs_task_join_space(copy, space);
	copy->announced = true;
	copy->kind = RFS_STOP_NEW;
	r = bear(copy);
	if (r)
		goto out;
	/* the registers will have these values when the copy has left the loop */
	copy->regs = forker->regs;
	copy->regs_valid = true;
	*out = tracer;
	*task = copy;
	return 0;
out:
	rfs_tracer_free(tracer);
	return r;
}
