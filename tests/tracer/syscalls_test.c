/*
 * syscalls_test.c - system calls that are traced, answered, restarted, refused, foreign or injected; trapped cpuid and
 * rdtsc.
 */
#include <cpuid.h>
#include <errno.h>
#include <linux/audit.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/foreign.h"
#include "tests/tracer/harness.h"
#include "tracer/rdtsc.h"

TestSuite(syscalls, .timeout = 60);

#define OBSERVATIONS 20000

static const int getppid_only[] = {SYS_getppid, -1};

static void start(struct run *run, const char *name, const char *how)
{
	const struct rfs_launch launch = {.core = -1, .traced = getppid_only};
	const char *argv[] = {program(name, "", ""), how, NULL};

	run_start(run, &launch, argv);
}

Test(syscalls, answered)
{
	struct rfs_stop stop;
	struct run run;

	start(&run, "calls", "answer");
	stop = run_until(&run, RFS_STOP_SYSCALL);
	cr_expect_eq(stop.number, SYS_getppid);
	cr_expect_eq(stop.arch, AUDIT_ARCH_X86_64);
	rfs_task_answer_syscall(stop.task, 4242);
	run_resume(&run, &stop);
	run_all(&run, NULL);
	run_end(&run);
	cr_expect_str_eq(run.output, "result 4242\n");
}

Test(syscalls, to_their_exit)
{
	struct rfs_stop stop;
	struct run run;

	start(&run, "calls", "answer");
	stop = run_until(&run, RFS_STOP_SYSCALL);
	cr_expect_eq(rfs_task_resume(stop.task, RFS_RESUME_SYSCALL, 0), 0);
	stop = run_next(&run);
	cr_assert_eq(stop.kind, RFS_STOP_SYSCALL_EXIT);
	cr_expect_eq((pid_t)rfs_task_regs(stop.task)->rax, getpid());
	rfs_task_regs_mut(stop.task)->rax = 77;
	run_resume(&run, &stop);
	run_all(&run, NULL);
	run_end(&run);
	cr_expect_str_eq(run.output, "result 77\n");
}

Test(syscalls, restarted_behind_a_handler)
{
	struct rfs_stop stop;
	unsigned long pending;
	struct run run;

	start(&run, "calls", "restart");
	stop = run_until(&run, RFS_STOP_SYSCALL);
	cr_expect_eq(rfs_task_pending_signals(stop.task, &pending), 0);
	cr_expect_eq(pending, 0);
	syscall(SYS_tgkill, rfs_task_pid(stop.task), rfs_task_tid(stop.task), SIGUSR1);
	cr_expect_eq(rfs_task_pending_signals(stop.task, &pending), 0);
	cr_expect_eq(pending, 1ul << (SIGUSR1 - 1));
	rfs_task_restart_syscall(stop.task);
	run_resume(&run, &stop);
	stop = run_next(&run);
	cr_assert_eq(stop.kind, RFS_STOP_SIGNAL);
	cr_expect_eq(stop.info.si_signo, SIGUSR1);
	run_resume(&run, &stop);
	stop = run_until(&run, RFS_STOP_SYSCALL);
	cr_expect_eq(stop.number, SYS_getppid);
	rfs_task_answer_syscall(stop.task, 5);
	run_resume(&run, &stop);
	run_all(&run, NULL);
	run_end(&run);
	cr_expect_str_eq(run.output, "handler 10\nresult 5\n");
}

Test(syscalls, refused)
{
	static const int enosys[] = {SYS_getuid, -1};
	const struct rfs_launch launch = {.core = -1, .enosys = enosys};
	const char *argv[] = {program("calls", "", ""), "errors", NULL};
	struct run run;

	run_start(&run, &launch, argv);
	run_all(&run, NULL);
	run_end(&run);
	cr_expect_str_eq(run.output, "-1 Function not implemented\n");
	cr_expect_eq(run.stops[RFS_STOP_SYSCALL], 0);
}

Test(syscalls, foreign_ones_are_seen)
{
	const char *argv[] = {program("foreign", "", ""), NULL};
	struct rfs_stop stop;
	struct run run;

	if (!runs_foreign_calls())
		cr_skip_test("this kernel has no system calls of 32-bit programs");
	run_start(&run, NULL, argv);
	stop = run_until(&run, RFS_STOP_SYSCALL);
	cr_expect_eq(stop.arch, AUDIT_ARCH_I386);
	cr_expect_eq(stop.number, 20);
	cr_expect_eq(stop.args[0], 11);
	cr_expect_eq(stop.args[1], 12);
	rfs_task_answer_syscall(stop.task, 0);
	run_resume(&run, &stop);
	stop = run_until(&run, RFS_STOP_SYSCALL);
	cr_expect_eq(stop.number, 0x40000000 + 39);
	rfs_task_answer_syscall(stop.task, 0);
	run_resume(&run, &stop);
	run_all(&run, NULL);
	run_end(&run);
	cr_expect_eq(run.status, ENOSYS, "an invalid number is the kernel's affair");
	cr_expect_eq(run.stops[RFS_STOP_SYSCALL], 2);
}

Test(syscalls, injected)
{
	static const unsigned long no_args[6];
	const unsigned long map[6] = {0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, (unsigned long)-1,
				      0};
	struct user_regs_struct before;
	struct rfs_stop stop;
	struct run run;
	char text[8] = "";
	long result;

	start(&run, "threads", "3");
	stop = run_until(&run, RFS_STOP_EXEC);
	before = *rfs_task_regs(stop.task);
	cr_expect_eq(rfs_task_inject(stop.task, SYS_getpid, no_args, &result), 0);
	cr_expect_eq(result, rfs_task_tid(stop.task));
	cr_expect_eq(rfs_task_inject(stop.task, SYS_close, (unsigned long[6]){99}, &result), 0);
	cr_expect_eq(result, -EBADF);
	/* an injected call is not reported, even if the filter traces it */
	cr_expect_eq(rfs_task_inject(stop.task, SYS_getppid, no_args, &result), 0);
	cr_expect_eq(result, getpid());
	cr_expect_eq(rfs_task_inject(stop.task, SYS_mmap, map, &result), 0);
	cr_expect_eq(rfs_space_write(rfs_task_space(stop.task), (rfs_addr)result, "hello", 6), 0);
	cr_expect_eq(rfs_space_read(rfs_task_space(stop.task), (rfs_addr)result, text, 6), 0);
	cr_expect_str_eq(text, "hello");
	cr_expect_eq(memcmp(&before, rfs_task_regs(stop.task), sizeof(before)), 0);
	run_resume(&run, &stop);
	stop = run_until(&run, RFS_STOP_CLONE);
	cr_expect_eq(rfs_task_inject(stop.task, SYS_getpid, no_args, &result), 0);
	cr_expect_eq(result, rfs_task_pid(stop.task));
	cr_expect_eq(rfs_task_inject(stop.task, SYS_gettid, no_args, &result), 0);
	cr_expect_eq(result, rfs_task_tid(stop.task));
	run_resume(&run, &stop);
	stop = run_until(&run, RFS_STOP_NEW);
	cr_expect_eq(rfs_task_inject(stop.task, SYS_gettid, no_args, &result), 0);
	cr_expect_eq(result, rfs_task_tid(stop.task));
	run_resume(&run, &stop);
	stop = run_until(&run, RFS_STOP_EXITING);
	cr_expect_eq(rfs_task_inject(stop.task, SYS_gettid, no_args, &result), -EIO);
	run_resume(&run, &stop);
	run_all(&run, NULL);
	run_end(&run);
	cr_expect_eq(run.status, 3);
}

/*
 * The program calls wait4(2) without waiting. During the call /proc/PID/stat may briefly show that it is about to
 * sleep. rfs_task_state() must not.
 */
Test(syscalls, who_runs_does_not_sleep)
{
	struct rfs_stop stop;
	struct run run;
	int seen = 0;

	start(&run, "looks", NULL);
	stop = run_until(&run, RFS_STOP_SYSCALL);
	run_resume(&run, &stop);
	for (int i = 0; i < OBSERVATIONS; i++)
		seen += rfs_task_state(stop.task) != 'R';
	cr_expect_eq(seen, 0, "%d times of %d", seen, OBSERVATIONS);
	run_end(&run);
}

Test(syscalls, injected_while_one_is_interrupted)
{
	static const unsigned long no_args[6];
	struct rfs_stop stop;
	struct run run;
	long result;

	/* pause() is interrupted; the injected call must not make it return */
	start(&run, "stopped", NULL);
	stop = run_until(&run, RFS_STOP_SYSCALL);
	run_resume(&run, &stop);
	while (rfs_task_state(stop.task) != 'S')
		usleep(100);
	cr_expect_eq(rfs_task_interrupt(stop.task), 0);
	stop = run_until(&run, RFS_STOP_INTERRUPT);
	cr_expect_eq(rfs_task_inject(stop.task, SYS_getpid, no_args, &result), 0);
	cr_expect_eq(result, rfs_task_tid(stop.task));
	run_resume(&run, &stop);
	while (rfs_task_state(stop.task) != 'S')
		usleep(100);
	kill(rfs_task_pid(stop.task), SIGUSR1);
	run_all(&run, NULL);
	run_end(&run);
	cr_expect_eq(run.status, SIGUSR1);
}

Test(syscalls, injected_at_a_signal)
{
	static const unsigned long no_args[6];
	const char *argv[] = {program("faults", "", ""), "segv", NULL};
	struct rfs_stop stop;
	struct run run;
	long result;

	run_start(&run, NULL, argv);
	stop = run_until(&run, RFS_STOP_SIGNAL);
	cr_expect_eq(rfs_task_inject(stop.task, SYS_getpid, no_args, &result), 0);
	run_resume(&run, &stop);
	run_all(&run, NULL);
	run_end(&run);
	cr_expect_str_eq(run.output, "signal 11 code 1 rip 0 addr 4660\ndone\n");
}

/* Processors that cannot make cpuid fault give no such stop. The C library itself executes cpuid many times. */
Test(syscalls, cpuid)
{
	const struct rfs_launch launch = {.core = -1, .trap_cpuid = true};
	const char *argv[] = {program("cpuid", "", ""), NULL};
	struct rfs_stop stop;
	struct run run;
	unsigned asked = 0, n = 0;

	run_start(&run, &launch, argv);
	while (run_wait(&run, &stop)) {
		if (stop.kind == RFS_STOP_CPUID) {
			struct user_regs_struct *regs = rfs_task_regs_mut(stop.task);
			unsigned a = (unsigned)regs->rax, b = 0, c = (unsigned)regs->rcx, d = 0;

			n++;
			if (a == 0x4000feed && c == 7) {
				asked++;
				a = 1;
				b = 2;
				c = 3;
				d = 4;
			} else {
				__cpuid_count(a, c, a, b, c, d);
			}
			regs->rip += 2;
			regs->rax = a;
			regs->rbx = b;
			regs->rcx = c;
			regs->rdx = d;
		}
		run_resume(&run, &stop);
	}
	run_end(&run);
	cr_expect(n == 0 || asked == 1);
	if (n)
		cr_expect_str_eq(run.output, "1 2 3 4\n");
}

Test(syscalls, rdtsc)
{
	const struct rfs_launch launch = {.core = -1, .trap_rdtsc = true};
	const char *argv[] = {program("rdtsc", "", ""), NULL};
	unsigned char code[3];
	struct rfs_stop stop;
	char expected[64];
	struct run run;
	unsigned n = 0;

	if (!rfs_rdtsc_traps())
		cr_skip_test("this processor does not trap rdtsc");
	run_start(&run, &launch, argv);
	while (run_wait(&run, &stop)) {
		if (stop.kind == RFS_STOP_RDTSC) {
			struct user_regs_struct *regs = rfs_task_regs_mut(stop.task);

			n++;
			cr_assert_eq(rfs_space_read(rfs_task_space(stop.task), stop.address, code, 3), 0);
			regs->rip += code[1] == 0x31 ? 2 : 3;
			regs->rax = 1000 + n;
			regs->rdx = 0;
			if (code[1] != 0x31)
				regs->rcx = 9;
		}
		run_resume(&run, &stop);
	}
	run_end(&run);
	/* more than the program's two, if the loader executes rdtsc too */
	cr_assert_geq(n, 2);
	snprintf(expected, sizeof(expected), "%u %u 9\n", 1000 + n - 1, 1000 + n);
	cr_expect_str_eq(run.output, expected);
}
