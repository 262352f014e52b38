/*
 * tracer.h - one traced program: its tasks, what stops them, and how they continue.
 *
 * Mechanism only: nothing here knows of scheduling. Every call must come from the thread that launched the tracer (a
 * rule of ptrace). A dead target is an outcome, not an error: calls that find the task gone return -ESRCH, and
 * rfs_tracer_wait() reports what happened to it. One function waits, one resumes, and one writes code bytes.
 */
#ifndef RFS_TRACER_H
#define RFS_TRACER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/user.h>

#include "disasm/addr.h"

struct rfs_tracer;
struct rfs_breakpoint;
struct rfs_task;  /* one kernel thread; valid until rfs_task_forget(), which follows its RFS_STOP_EXITED or
		     RFS_STOP_KILLED */
struct rfs_space; /* one address space: code bytes, breakpoints, modules (breakpoint.h, module.h) */

/* The program to run, and its settings. Pointers are borrowed during the call. */
struct rfs_launch {
	const char *path;	     /* absolute; the file that is executed */
	char *const *argv;	     /* ends with NULL */
	char *const *envp;	     /* ends with NULL; the whole environment */
	const char *cwd;	     /* NULL: that of the supervisor */
	int fd_in, fd_out, fd_err;   /* become 0, 1, 2; every other descriptor is closed */
	int core;		     /* pin the target to this core; -1: do not */
	const int *traced;	     /* system call numbers that stop the task (RFS_STOP_SYSCALL), ends with -1 */
	const int *enosys;	     /* answered ENOSYS without a stop, ends with -1 */
	const int *eperm;	     /* answered EPERM without a stop, ends with -1 */
	bool trap_rdtsc;	     /* rdtsc and rdtscp raise SIGSEGV at first (see rfs_task_release_rdtsc()) */
	bool trap_cpuid;	     /* cpuid also raises SIGSEGV (RFS_STOP_CPUID), if the processor can do that */
	const unsigned char *random; /* 16 bytes for AT_RANDOM; NULL: those of the kernel */
	bool special_maps;	     /* mmap with MAP_SHARED or PROT_EXEC also stops the task */
	bool followed;		   /* the program is a wrapper that starts the selected program: rfs_tracer_follow() */
	unsigned long stack_limit; /* soft RLIMIT_STACK in bytes, so that the layout does not depend on the limit of the
				      caller; 0: keep */
};

struct rfs_tracer_info {
	bool aslr_on; /* the container refused to disable randomisation */
};

/*
 * Forks, seizes with exit-kill, gives the child its own process group, hides the vDSO, installs the filter, executes.
 * The first stop from rfs_tracer_wait() is RFS_STOP_EXEC of the leader, before the first user instruction. 0 and
 * *out (rfs_tracer_free), or -errno and a line in why: what failed and what to do (ptrace refused: Yama, seccomp of a
 * container, …; execve failed: its errno; no such interpreter).
 */
int rfs_tracer_launch(const struct rfs_launch *launch, struct rfs_tracer **out, struct rfs_tracer_info *info, char *why,
		      size_t n) __attribute__((warn_unused_result));
/* Kills every task and descendant, reaps them all, frees everything. */
void rfs_tracer_free(struct rfs_tracer *tracer);
/* Sends SIGKILL to the process group and to every known task; their deaths arrive through rfs_tracer_wait(). */
void rfs_tracer_kill(struct rfs_tracer *tracer);

enum rfs_stop_kind {
	RFS_STOP_NONE,
	RFS_STOP_EXEC,	       /* execve done; old space gone, task is the leader now; stop->message: its former tid */
	RFS_STOP_NEW,	       /* first stop of a new task, before its first instruction */
	RFS_STOP_CLONE,	       /* task made a thread (or CLONE_VM sharer): stop->child, message: its tid */
	RFS_STOP_FORK,	       /* task created a process with its own space, without breakpoints: stop->child */
	RFS_STOP_VFORK,	       /* task made a process that shares the space until it execs or ends */
	RFS_STOP_VFORK_DONE,   /* that process executed a program or ended */
	RFS_STOP_BREAKPOINT,   /* the task is before the instruction at stop->address (registers corrected) */
	RFS_STOP_WATCH,	       /* after the instruction that touched a watched address (debugreg.h) */
	RFS_STOP_STEP,	       /* after RFS_RESUME_STEP */
	RFS_STOP_SYSCALL,      /* a traced system call at its entry: stop->number, stop->args */
	RFS_STOP_SYSCALL_EXIT, /* after RFS_RESUME_SYSCALL: rax is the result */
	RFS_STOP_RDTSC, /* rdtsc or rdtscp trapped; address: the instruction; the caller sets registers and skips it */
	RFS_STOP_CPUID, /* cpuid trapped (some processors cannot do that); handle it like RFS_STOP_RDTSC */
	RFS_STOP_RECORDS, /* the buffer for records is full: call rfs_stub_buffer_take() (stub_buffer.h), then resume
			   */
	RFS_STOP_INSIDE,  /* the task jumped to stop->address inside a patch, which the planner thought impossible */
	RFS_STOP_SIGNAL, /* stop->info is about to be delivered; pass its si_signo to rfs_task_resume(), or 0 to drop it
			  */
	RFS_STOP_GROUP,	 /* job-control stop; status: the signal; resume with RFS_RESUME_LISTEN */
	RFS_STOP_INTERRUPT, /* answer to rfs_task_interrupt(), or SIGCONT ended the job-control stop */
	RFS_STOP_EXITING,   /* the task is about to end; its registers can still be read */
	RFS_STOP_EXITED,    /* the task has ended; stop->status: exit status of the thread; message: not 0 if another
			       thread executed a program and now has the tid of this leader */
	RFS_STOP_KILLED,    /* the task was killed by signal stop->status */
};

struct rfs_stop {
	enum rfs_stop_kind kind;
	struct rfs_task *task;
	struct rfs_task *child; /* CLONE, FORK, VFORK: the new task, whose RFS_STOP_NEW comes later */
	long number;		/* SYSCALL */
	unsigned long args[6];	/* SYSCALL */
	unsigned arch;		/* SYSCALL: AUDIT_ARCH_*; the run must end if it is foreign or x32 */
	unsigned long message;
	rfs_addr address;
	struct rfs_breakpoint *breakpoint; /* BREAKPOINT: the breakpoint there; NULL: a trampoline */
	siginfo_t info;
	int status;
	bool core; /* KILLED: would have dumped core */
};

/*
 * Waits for the next stop of any task. 1 and *out; 0 if timeout_ms passed (-1: forever, 0: do not wait) or a signal to
 * the supervisor arrived; -ECHILD if no task is left. At RFS_STOP_SIGNAL and RFS_STOP_INTERRUPT the instruction pointer
 * (and si_addr of SIGILL, SIGFPE, SIGTRAP) never show an out-of-line copy: before the copy has run, they show the
 * original instruction; afterwards, the next one. Waiting with a limit uses the signal SIGRTMIN + 6, and may exceed the
 * limit by a quarter, at most 50 ms.
 */
int rfs_tracer_wait(struct rfs_tracer *tracer, int timeout_ms, struct rfs_stop *out)
	__attribute__((warn_unused_result));

enum rfs_resume {
	RFS_RESUME_RUN,
	RFS_RESUME_STEP,
	RFS_RESUME_SYSCALL, /* stop again at the exit of the current system call (after RFS_STOP_SYSCALL) */
	RFS_RESUME_LISTEN,  /* after RFS_STOP_GROUP */
};

/*
 * Writes changed registers and resumes the task, delivering signo (0: none). If the task is at a breakpoint of its
 * space, it executes that instruction first (out of line, emulated or stepped), so a caller can simply resume. 0 or
 * -ESRCH.
 */
int rfs_task_resume(struct rfs_task *task, enum rfs_resume how, int signo) __attribute__((warn_unused_result));
/* A stopped task continues at `to` when it is resumed, without a stop at a breakpoint there. */
void rfs_task_jump(struct rfs_task *task, rfs_addr to);
/* Asks a running task to stop (PTRACE_INTERRUPT). */
int rfs_task_interrupt(struct rfs_task *task);
/* After EXITED or KILLED: frees the task. */
void rfs_task_forget(struct rfs_task *task);

pid_t rfs_task_tid(const struct rfs_task *task);
pid_t rfs_task_pid(const struct rfs_task *task); /* thread group */
struct rfs_space *rfs_task_space(const struct rfs_task *task);
struct rfs_task *rfs_tracer_task(const struct rfs_tracer *tracer, pid_t tid); /* NULL: unknown */
pid_t rfs_tracer_pid(
	const struct rfs_tracer *tracer); /* of the selected program; 0: not known before rfs_tracer_follow() */
/* After a launch with trap_rdtsc: rdtsc no longer traps in this stopped task and in tasks that it makes. 0, -errno.
 */
int rfs_task_release_rdtsc(struct rfs_task *task) __attribute__((warn_unused_result));
/* True if trap_cpuid was requested, but this processor cannot do it. */
bool rfs_tracer_shows_cpuid(const struct rfs_tracer *tracer);
/* The process that was launched, if that is not the selected program. */
pid_t rfs_tracer_root(const struct rfs_tracer *tracer);
/* After a launch with `followed`: this process is the selected program. It is the first process or a descendant. */
void rfs_tracer_follow(struct rfs_tracer *tracer, const struct rfs_task *task);
/* The file that a process runs, into path, NUL-terminated. -errno if it is gone. */
int rfs_process_file(pid_t pid, char *path, size_t n) __attribute__((warn_unused_result));
/* A pointer for the caller's use, NULL at first. */
void rfs_task_set_data(struct rfs_task *task, void *data);
void *rfs_task_data(const struct rfs_task *task);

/*
 * Registers of a stopped task: read once per stop, written back at resume if rfs_task_regs_mut() was called. Borrowed
 * until the task is resumed. All zero if the task has died.
 */
const struct user_regs_struct *rfs_task_regs(struct rfs_task *task);
struct user_regs_struct *rfs_task_regs_mut(struct rfs_task *task);
/* Vector register n (64 bytes, zero if absent) or mask register; the signature is that of struct rfs_machine. */
int rfs_task_vector(struct rfs_task *task, int n, bool mask, void *out);
/* The x87 and SSE registers of a stopped task. 0 or -ESRCH. */
int rfs_task_fpregs(struct rfs_task *task, struct user_fpregs_struct *out) __attribute__((warn_unused_result));
int rfs_task_set_fpregs(struct rfs_task *task, const struct user_fpregs_struct *regs)
	__attribute__((warn_unused_result));

/*
 * Answers the current system call of the task at RFS_STOP_SYSCALL without the kernel: number -1, result in rax.
 * rfs_task_restart_syscall() moves the task back to the call instruction instead, so that the handler of a pending
 * signal runs first.
 */
void rfs_task_answer_syscall(struct rfs_task *task, long result);
void rfs_task_restart_syscall(struct rfs_task *task);

/*
 * Executes a system call in a stopped task and then restores the task. 0 and the raw result of the call (-errno if it
 * failed); -ESRCH; -EIO: impossible at this stop (SYSCALL, VFORK, GROUP and EXITING), or the space has no gate page.
 */
int rfs_task_inject(struct rfs_task *task, long number, const unsigned long args[6], long *result)
	__attribute__((warn_unused_result));

/* What the handler of the pending signal of the task will see (PTRACE_SETSIGINFO). */
void rfs_task_set_siginfo(struct rfs_task *task, const siginfo_t *info);

/* The parent process's id; 0 if it is not known. */
pid_t rfs_task_parent(const struct rfs_task *task);
/* All signals that are queued for the task, including blocked ones, as a mask with bit signo-1. */
int rfs_task_queued_signals(struct rfs_task *task, unsigned long *mask);
/* Signals pending for the task that it does not block (its own and the process's), as a mask with bit signo-1. */
int rfs_task_pending_signals(struct rfs_task *task, unsigned long *mask);
/* 'R', 'S', 'D', 't', 'Z' or 'X' as in /proc; 'T': in a job-control stop, and no other stop is about to be reported; 0:
 * the task is gone. */
char rfs_task_state(const struct rfs_task *task);
/* The number of the system call in which the task sleeps; -1: none, or unknown. */
long rfs_task_syscall(const struct rfs_task *task);
/* User and system time of the whole target so far, seconds. */
double rfs_tracer_cpu_seconds(const struct rfs_tracer *tracer);

#endif
