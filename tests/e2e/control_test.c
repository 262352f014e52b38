/*
 * control_test.c - what a controlled program may do (docs/internals/system-calls.md, "System calls"): calls that block,
 * stops and faults, and calls that rfsup answers or refuses.
 *
 * Other cases are programs in targets/ (see targets_test.c): signals and restarts (signal_handler), cancellation
 * (cancel), children (fork_threads, vfork_exec, spawn_threads), exec by a thread (exec_thread), a leader that ends
 * first (leader_first), destructors at the end (tls_dtor), pipes, sockets and eventfds (pipes_threads), dlopen
 * (dlopen_lib).
 */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/e2e/harness.h"
#include "tests/foreign.h"

TestSuite(control, .timeout = 300);

/* The longest wait for something that usually takes moments, in steps of 10 ms. */
#define PATIENCE 3000

static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

/*
 * Runs a whole campaign on programs/SOURCE, which must find nothing. The program checks the results of its calls, and
 * fails if one is wrong.
 */
static void expect_clean(const char *source, const char *mode)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, source, "-O2 -g");
	e2e_run(&e2e, WORDS("--runs=10", "--explore=20", program, mode));
	e2e_expect_silent(&e2e);
	e2e_expect(&e2e, !strstr(e2e.said.err, "which rfsup does not schedule"), "a call blocks unknown: %s",
		   e2e.said.err);
	e2e_expect(&e2e, spawn_running("cwd", e2e.folder) == 0, "something is left running");
	e2e_end(&e2e);
	free(program);
}

Test(control, rseq_io_uring_and_ptrace_are_refused_and_no_new_privs_does_not_show)
{
	expect_clean("control.c", "asks");
}

Test(control, its_own_seccomp_filter_is_allowed)
{
	expect_clean("control.c", "filter");
}

Test(control, a_group_stop_lasts_until_it_is_continued)
{
	expect_clean("control.c", "stop");
}

Test(control, priority_inheriting_futexes_need_no_library)
{
	expect_clean("futex_pi.c", NULL);
}

Test(control, a_terminal_is_waited_for)
{
	expect_clean("control.c", "terminal");
}

Test(control, a_call_goes_on_by_restart_syscall)
{
	expect_clean("control.c", "restart");
}

Test(control, a_daemon_ends_with_the_process_that_was_started)
{
	expect_clean("control.c", "daemon");
}

/* Calls on regular files just run. Only if there are many in a row, one in a hundred is a yield. */
Test(control, calls_on_regular_files_are_not_scheduled)
{
	struct e2e e2e;
	char *program;
	double steps;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "control.c", "-O2 -g");
	e2e_run(&e2e, WORDS("--policy=random", "--runs=1", program, "files", "1"));
	e2e_expect_silent(&e2e);
	steps = e2e_stat(&e2e, "steps");
	e2e_run(&e2e, WORDS("--policy=random", "--runs=1", program, "files", "25"));
	e2e_expect_silent(&e2e);
	e2e_expect(&e2e, steps > 0 && e2e_stat(&e2e, "steps") == steps, "%g steps, then %g", steps,
		   e2e_stat(&e2e, "steps"));
	e2e_end(&e2e);
	free(program);
}

/*
 * Threads return from calls that rfsup does not schedule, while other threads run: one at a time, or several at once.
 */
Test(control, threads_that_return_beside_the_schedule)
{
	static const char *const threads[] = {"1", "2", "3"};

	for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i++) {
		struct e2e e2e;
		char *program;

		e2e_begin(&e2e);
		program = e2e_program(&e2e, "woken.c", "-O2 -g -pthread");
		e2e_run(&e2e, WORDS("--policy=random", "--runs=3", "--timeout=30", program, threads[i]));
		e2e_expect_status(&e2e, 0);
		e2e_expect(&e2e, strstr(e2e.said.err, "is blocked in preadv2(2)"), "%s", e2e.said.err);
		e2e_end(&e2e);
		free(program);
	}
}

Test(control, a_fault_is_reported_at_the_programs_own_instruction)
{
	expect_clean("control.c", "fault");
}

Test(control, exceptions_unwind_watched_code)
{
	expect_clean("throw.cc", NULL);
}

Test(control, calls_of_other_architectures_end_the_run)
{
	static const char *const modes[] = {"int80", "x32"};

	if (!runs_foreign_calls())
		cr_skip_test("this kernel has no system calls of 32-bit programs");
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		struct e2e e2e;
		char *program;

		e2e_begin(&e2e);
		program = e2e_program(&e2e, "control.c", "-O2 -g");
		e2e_run(&e2e, WORDS("--runs=3", "--explore=3", program, modes[i]));
		e2e_expect_status(&e2e, 3);
		e2e_expect(&e2e,
			   strstr(e2e.said.err, "32-bit or x32 system call") ||
				   strstr(e2e.said.out, "32-bit or x32 system call"),
			   "it does not say why\n%s%s", e2e.said.out, e2e.said.err);
		e2e_end(&e2e);
		free(program);
	}
}

/* Connects to FOLDER/socket whenever a process listens there, and sends a byte. Runs until it is killed. */
static void connect_for_ever(const char *folder)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};

	snprintf(name.sun_path, sizeof(name.sun_path), "%s/socket", folder);
	for (;;) {
		int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

		if (fd < 0)
			_exit(1);
		if (connect(fd, (struct sockaddr *)&name, sizeof(name)) == 0)
			(void)!send(fd, "x", 1, MSG_NOSIGNAL);
		close(fd);
		nap();
	}
}

Test(control, a_connection_from_outside_is_waited_for)
{
	struct e2e e2e;
	char *program;
	pid_t child;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "control.c", "-O2 -g");
	child = fork();
	if (child == 0)
		connect_for_ever(e2e.folder);
	e2e_run(&e2e, WORDS("--runs=10", "--explore=10", program, "accept"));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	e2e_expect_silent(&e2e);
	e2e_end(&e2e);
	free(program);
}

Test(control, a_killed_rfsup_leaves_no_process_behind)
{
	/* forever hangs already in the baseline runs, held only in a controlled run */
	static const char *const modes[] = {"forever", "held"};

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		struct spawned said;
		struct e2e e2e;
		char *program;
		int seen = 0;

		e2e_begin(&e2e);
		program = e2e_program(&e2e, "control.c", "-O2 -g");
		spawn_start(WORDS("-o", "out", "--policy=random", "--runs=1", program, modes[i]), e2e.folder, NULL,
			    &said);
		/* baseline runs that end never run for so long */
		for (int k = 0; k < PATIENCE && seen < 50; k++) {
			seen = spawn_running("exe", program) > 0 ? seen + 1 : 0;
			nap();
		}
		e2e_expect(&e2e, seen == 50, "%s does not hang", modes[i]);
		kill(said.pid, SIGKILL);
		spawn_wait(&said);
		for (int k = 0; k < PATIENCE && spawn_running("exe", program) > 0; k++)
			nap();
		e2e_expect(&e2e, spawn_running("exe", program) == 0, "%s: %d processes are left", modes[i],
			   spawn_running("exe", program));
		spawned_release(&said);
		e2e_end(&e2e);
		free(program);
	}
}

/*
 * A thread that is not the leader executes a program. That program continues with the leader's id, and is controlled.
 */
Test(control, a_program_that_a_thread_executes_is_run)
{
	char *program = e2e_target("O2g", "exec_thread"), path[512], *text;
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--policy=random", "--runs=1", "--keep-records", "--stats", program));
	e2e_expect_silent(&e2e);
	snprintf(path, sizeof(path), "%s/out/runs/sample-seed-1.out", e2e.folder);
	text = e2e_text(path);
	e2e_expect(&e2e, text && strcmp(text, "again 2\n") == 0, "it says: %s", text ? text : "nothing");
	/* the two threads of the new program start, lock, unlock and end */
	e2e_expect(&e2e, e2e_stat(&e2e, "steps") >= 10, "%g operations", e2e_stat(&e2e, "steps"));
	e2e_end(&e2e);
	free(text);
	free(program);
}

/* What a correct program may do, and what rfsup must not take for a failure or a wrong use. */
Test(control, correct_calls_are_no_finding)
{
	static const char *const kinds[] = {"names",   "robust",  "once",      "parent", "stop",
					    "cleanup", "message", "condition", "child",	 "output"};
	struct e2e e2e;

	for (int is_static = 0; is_static < 2; is_static++) {
		char *program;

		e2e_begin(&e2e);
		program = e2e_program(&e2e, "correct_calls.c",
				      is_static ? "-static -g -O1 -pthread -D_GNU_SOURCE"
						: "-g -O1 -pthread -D_GNU_SOURCE");
		for (size_t i = 0; i < e2e_rows(8, sizeof(kinds) / sizeof(*kinds)); i++) {
			e2e_run(&e2e, WORDS("--policy=random", "--runs=6", "--misuse=error", program, kinds[i]));
			e2e_expect(&e2e, e2e.said.status == 0 && !strstr(e2e.said.err, "overwritten"), "%s: %s%s",
				   kinds[i], e2e.said.out, e2e.said.err);
		}
		free(program);
		e2e_end(&e2e);
	}
}

Test(control, memory_that_another_object_uses_now_is_no_misuse)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "reused_variant.cc", "-std=c++17 -g -O1 -pthread");
	e2e_run(&e2e, WORDS("--policy=random", "--runs=6", "--misuse=error", program));
	e2e_expect_silent(&e2e);
	free(program);
	e2e_end(&e2e);
}
