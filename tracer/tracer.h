/*
 * tracer.h - one traced program: its tasks, what stops them, and how they continue.
 *
 * The tracer contains no scheduling: its caller decides which task runs. Every call must come from the thread that
 * launched the tracer (a rule of ptrace). A dead target is an outcome, not an error: a call that finds the task gone
 * returns -ESRCH, and rfs_tracer_wait() reports what happened to the task. One function waits, one resumes, and one
 * writes code bytes.
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
struct rfs_task;  /* one kernel thread; valid until rfs_task_forget(), which the caller calls after RFS_STOP_EXITED or
		     RFS_STOP_KILLED */
struct rfs_space; /* one address space: code bytes, breakpoints, modules (breakpoint.h, module.h) */

/* The program to run, and its settings. Pointers are borrowed during the call. */
struct rfs_launch {
	const char *path;	     /* absolute; the file that is executed */
	char *const *argv;	     /* ends with NULL */
	char *const *envp;	     /* ends with NULL; the whole environment */
	const char *cwd;	     /* NULL: that of the supervisor */
	int fd_in, fd_out, fd_err;   /* become 0, 1, 2 of the target; all other descriptors are closed */
	int core;		     /* pin the target to this core; -1: do not */
	const int *traced;	     /* system call numbers that stop the task (RFS_STOP_SYSCALL), ends with -1 */
	const int *also;	     /* more of them; NULL: none */
	const int *enosys;	     /* system call numbers that fail with ENOSYS without a stop, ends with -1 */
	bool trap_rdtsc;	     /* rdtsc and rdtscp stop the task (RFS_STOP_RDTSC) until rfs_task_trap_rdtsc() */
	bool trap_cpuid;	     /* cpuid stops the task (RFS_STOP_CPUID), if the processor can do that */
	const unsigned char *random; /* the 16 bytes of AT_RANDOM; NULL: those of the kernel */
	bool special_maps;    /* mmap of shared memory or code, and calls that may replace it, also stop the task */
	bool untraced_clones; /* clone with CLONE_UNTRACED also stops the task (RFS_STOP_SYSCALL) */
	bool followed;	      /* the program is a wrapper that starts the selected program; see rfs_tracer_follow() */
	unsigned long stack_limit; /* soft RLIMIT_STACK in bytes; 0: keep. With a fixed limit, the memory layout does
				      not depend on the caller's limit */
	unsigned long data_limit;  /* soft RLIMIT_DATA in bytes; 0: keep */
};

struct rfs_tracer_info {
	bool aslr_on; /* addresses are randomised, because the container does not let us disable that */
};

/*
 * Starts the program in a child that is seized, so that it dies with us. The child gets its own process group and the
 * seccomp filter, and its vDSO is hidden. The first stop from rfs_tracer_wait() is RFS_STOP_EXEC of the leader, before
 * the first user instruction.
 *
 * Returns 0 and *out (free with rfs_tracer_free()); or -errno and a line in why, which says what failed and what to do.
 * For example: Yama or a container's seccomp profile refuses ptrace, execve fails, or the interpreter does not exist.
 */
int rfs_tracer_launch(const struct rfs_launch *launch, struct rfs_tracer **out, struct rfs_tracer_info *info, char *why,
		      size_t n) __attribute__((warn_unused_result));
/* Kills all tasks and descendants, waits for their ends, and frees everything. */
void rfs_tracer_free(struct rfs_tracer *tracer);
/* Sends SIGKILL to the process group and to every known task. rfs_tracer_wait() then reports their ends. */
void rfs_tracer_kill(struct rfs_tracer *tracer);

enum rfs_stop_kind {
	RFS_STOP_NONE,
	RFS_STOP_EXEC,	/* the task has executed a program: it is now the leader, in a new space; stop->message: its
			   former tid */
	RFS_STOP_NEW,	/* first stop of a new task, before its first instruction */
	RFS_STOP_CLONE, /* the task made a thread, or a process that shares its memory (CLONE_VM): stop->child; message:
			   the new tid */
	RFS_STOP_FORK, /* the task made a process with its own space, without breakpoints (but see kept): stop->child */
	RFS_STOP_VFORK, /* the task made a process that shares the space until that process executes a program or ends:
			   stop->child */
	RFS_STOP_VFORK_DONE,   /* the process of an RFS_STOP_VFORK has executed a program or ended */
	RFS_STOP_BREAKPOINT,   /* the task is about to execute the instruction at stop->address, to which rip points */
	RFS_STOP_WATCH,	       /* after an instruction that accessed a watched address (debugreg.h) */
	RFS_STOP_STEP,	       /* after one instruction (RFS_RESUME_STEP) */
	RFS_STOP_SYSCALL,      /* the task is at the entry of a traced system call: stop->number, stop->args */
	RFS_STOP_SYSCALL_EXIT, /* after RFS_RESUME_SYSCALL: rax is the result */
	RFS_STOP_RDTSC, /* rdtsc or rdtscp trapped at stop->address; the caller sets the result registers and moves rip
			   past it */
	RFS_STOP_CPUID, /* the same for cpuid; not every processor can trap it */
	RFS_STOP_RECORDS, /* the stub buffer is full: call rfs_stub_buffer_take() (stub_buffer.h), then resume */
	RFS_STOP_INSIDE,  /* the task jumped to stop->address inside a patch, which the planner thought impossible */
	RFS_STOP_SIGNAL,  /* signal stop->info is about to be delivered; pass its si_signo to rfs_task_resume(), or 0 to
			     drop it */
	RFS_STOP_GROUP,	  /* job-control stop by signal stop->status; resume with RFS_RESUME_LISTEN */
	RFS_STOP_INTERRUPT, /* answer to rfs_task_interrupt(), or SIGCONT ended the job-control stop */
	RFS_STOP_EXITING,   /* the task is about to end; its registers can still be read */
	RFS_STOP_EXITED, /* the task has ended with stop->status. If another thread executed a program and now has the
			    tid of this leader, stop->message is not 0 */
	RFS_STOP_KILLED, /* the task was killed by signal stop->status */
};

struct rfs_stop {
	enum rfs_stop_kind kind;
	struct rfs_task *task;
	struct rfs_task *child; /* CLONE, FORK, VFORK: the new task; its RFS_STOP_NEW comes later */
	bool taken;		/* FORK: the child is the selected program now; see rfs_tracer_take_fork() */
	bool kept;		/* FORK: the child stays under control; see rfs_tracer_keep_forks() */
	long number;		/* SYSCALL */
	unsigned long args[6];	/* SYSCALL */
	unsigned arch;		/* SYSCALL: AUDIT_ARCH_* of the call, which is another one for int 0x80 */
	unsigned long message;
	rfs_addr address;
	struct rfs_breakpoint *breakpoint; /* BREAKPOINT: the one at address; NULL: a trampoline (trampoline.h) */
	siginfo_t info;
	int status;
	bool core; /* KILLED: WCOREDUMP() of the wait status */
};

/*
 * Waits for the next stop of any task. timeout_ms: -1 waits forever, 0 does not wait. Returns 1 and *out; 0 if the time
 * has passed, or if the supervisor got a signal; or -ECHILD if no task is left.
 *
 * At RFS_STOP_SIGNAL and RFS_STOP_INTERRUPT, the instruction pointer is never inside an out-of-line copy. If the copy
 * has not run, it is the address of the original instruction, otherwise of the next one. The same is true for si_addr
 * of SIGILL, SIGFPE and SIGTRAP.
 *
 * A wait with a time limit uses the signal SIGRTMIN + 6. It may exceed the limit by a quarter, at most 50 ms.
 */
int rfs_tracer_wait(struct rfs_tracer *tracer, int timeout_ms, struct rfs_stop *out)
	__attribute__((warn_unused_result));

enum rfs_resume {
	RFS_RESUME_RUN,
	RFS_RESUME_STEP,
	RFS_RESUME_SYSCALL, /* after RFS_STOP_SYSCALL: stop again at the exit of the system call */
	RFS_RESUME_LISTEN,  /* after RFS_STOP_GROUP */
	RFS_RESUME_LAST,    /* after RFS_STOP_SYSCALL of exit(2): the next stop is the end, without RFS_STOP_EXITING */
};

/*
 * Writes changed registers and resumes the task, delivering signo (0: none). If the task is at a breakpoint, the
 * instruction under the breakpoint is executed first, so a caller can simply resume. Returns 0 or -ESRCH.
 */
int rfs_task_resume(struct rfs_task *task, enum rfs_resume how, int signo) __attribute__((warn_unused_result));
/* Makes a stopped task continue at `to` when it is resumed. A breakpoint at `to` does not stop it there. */
void rfs_task_jump(struct rfs_task *task, rfs_addr to);
/*
 * Executes the next instruction of a stopped task in its place, also if its page is closed for writes. Returns 0;
 * -EINVAL if it is none that disasm/insn/insn_write.h knows; or -EFAULT if it writes outside of this page.
 */
int rfs_task_execute_write(struct rfs_task *task, rfs_addr page) __attribute__((warn_unused_result));
/* Whether the breakpoint where the stopped task is has stopped it there already. It does not do so again. */
bool rfs_task_passes(struct rfs_task *task);
/* Asks a running task to stop (PTRACE_INTERRUPT). */
int rfs_task_interrupt(struct rfs_task *task);
/* Frees the task. Call it after RFS_STOP_EXITED or RFS_STOP_KILLED. */
void rfs_task_forget(struct rfs_task *task);

pid_t rfs_task_tid(const struct rfs_task *task);
pid_t rfs_task_pid(const struct rfs_task *task); /* the id of its thread group */
struct rfs_space *rfs_task_space(const struct rfs_task *task);
struct rfs_task *rfs_tracer_task(const struct rfs_tracer *tracer, pid_t tid); /* NULL: unknown */
pid_t rfs_tracer_pid(
	const struct rfs_tracer *tracer); /* process id of the selected program; 0 before rfs_tracer_follow() */
/*
 * After a launch with trap_rdtsc: whether rdtsc stops this task, which must be stopped, and tasks that it makes later.
 * 0 or -errno.
 */
int rfs_task_trap_rdtsc(struct rfs_task *task, bool trap) __attribute__((warn_unused_result));
/* The same for cpuid, after a launch with trap_cpuid. A program that the task executes traps again in any case. */
int rfs_task_trap_cpuid(struct rfs_task *task, bool trap) __attribute__((warn_unused_result));
/* True if trap_cpuid was requested, but this processor cannot do it. */
bool rfs_tracer_shows_cpuid(const struct rfs_tracer *tracer);
/* The process that was launched. It may be a wrapper instead of the selected program. */
pid_t rfs_tracer_root(const struct rfs_tracer *tracer);
/* After a launch with `followed`: says that the process of this task is the selected program. It is the launched
 * process or a descendant of it. */
void rfs_tracer_follow(struct rfs_tracer *tracer, const struct rfs_task *task);
/*
 * Says that the nth process (from 1) that the selected program forks from now on takes its place, if the program has
 * only one task then: the child is the selected program, and gets the space with all breakpoints and patches. The
 * parent gets a new space with the program's own bytes. 0: none.
 */
void rfs_tracer_take_fork(struct rfs_tracer *tracer, unsigned nth);
/*
 * Says whether processes that the selected program forks from now on stay under control. Such a child has the
 * breakpoints, patches and stubs of its parent, at the same addresses. Its space is its own, but what is set or removed
 * in one of the two is set or removed in both. Processes that the child forks have no breakpoints.
 */
void rfs_tracer_keep_forks(struct rfs_tracer *tracer, bool keep);
/* Writes the name of the file that the process executes to path, NUL-terminated. Returns 0, or -errno if the process is
 * gone. */
int rfs_process_file(pid_t pid, char *path, size_t n) __attribute__((warn_unused_result));
/* A pointer for the caller's use, NULL at first. */
void rfs_task_set_data(struct rfs_task *task, void *data);
void *rfs_task_data(const struct rfs_task *task);

/*
 * The registers of a stopped task. They are read once per stop, and written back at resume if rfs_task_regs_mut() was
 * called. Borrowed until the task is resumed. All are zero if the task has died.
 */
const struct user_regs_struct *rfs_task_regs(struct rfs_task *task);
struct user_regs_struct *rfs_task_regs_mut(struct rfs_task *task);
/* Copies vector register n (64 bytes, zero if absent) or mask register n to out. The parameters and the result are
 * those of `vector` in struct rfs_machine. */
int rfs_task_vector(struct rfs_task *task, int n, bool mask, void *out);
/* The x87 and SSE registers of a stopped task. Both return 0 or -ESRCH. */
int rfs_task_fpregs(struct rfs_task *task, struct user_fpregs_struct *out) __attribute__((warn_unused_result));
int rfs_task_set_fpregs(struct rfs_task *task, const struct user_fpregs_struct *regs)
	__attribute__((warn_unused_result));

/*
 * Both keep the kernel from executing the system call of a task at RFS_STOP_SYSCALL. rfs_task_answer_syscall() skips
 * the call and gives the task this result. rfs_task_restart_syscall() moves the task back to the call instruction: the
 * handler of a pending signal runs first, then the task makes the call again.
 */
void rfs_task_answer_syscall(struct rfs_task *task, long result);
void rfs_task_restart_syscall(struct rfs_task *task);

/*
 * Executes a system call in a stopped task and then restores the task. Returns 0 and the raw result of the call (-errno
 * if it failed); -ESRCH; or -EIO. -EIO means that the task's stop does not allow it (SYSCALL, VFORK, GROUP and
 * EXITING), or that the space has no gate page (trampoline.c).
 */
int rfs_task_inject(struct rfs_task *task, long number, const unsigned long args[6], long *result)
	__attribute__((warn_unused_result));

/* Sets what the handler of the task's pending signal will see (PTRACE_SETSIGINFO). */
void rfs_task_set_siginfo(struct rfs_task *task, const siginfo_t *info);

/* The process id of the task's parent process; 0 if it is not known. */
pid_t rfs_task_parent(const struct rfs_task *task);
/* All signals that are queued for the task or its process, blocked ones included. Bit signo - 1 of the mask stands for
 * signo. Returns 0 or -ESRCH. */
int rfs_task_queued_signals(struct rfs_task *task, unsigned long *mask);
/* The same without the signals that the task blocks. */
int rfs_task_pending_signals(struct rfs_task *task, unsigned long *mask);
/* The signals that the task blocks. */
int rfs_task_blocked_signals(struct rfs_task *task, unsigned long *mask);
/* The state letter of /proc: 'R', 'S', 'D', 't', 'Z' or 'X'. It is 'T' only if the task is in a job-control stop and no
 * other stop of it is about to be reported. 0 if the task is gone. */
char rfs_task_state(const struct rfs_task *task);
/*
 * The number of the system call in which the task sleeps, and its arguments (NULL: not wanted); -1: none, or unknown.
 */
long rfs_task_syscall(const struct rfs_task *task, unsigned long args[6]);
/* User and system time that the whole target has used so far, in seconds. */
double rfs_tracer_cpu_seconds(const struct rfs_tracer *tracer);

#endif
