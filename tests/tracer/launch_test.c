/* launch_test.c - what a program finds when it starts, and the messages if it cannot start. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/tracer/harness.h"

TestSuite(launch, .timeout = 60);

Test(launch, exit_status)
{
	static const struct {
		const char *script;
		int status;
	} cases[] = {{"exit 0", 0}, {"exit 3", 3}, {"kill -TERM $$", 128 + 15}, {"kill -KILL $$", 128 + 9}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run run;
		const char *argv[] = {"/bin/sh", "-c", cases[i].script, NULL};

		cr_expect_eq(run_program(&run, argv, NULL), cases[i].status, "%s: %d", cases[i].script, run.status);
		cr_expect_eq(run.stops[RFS_STOP_EXEC], 1);
	}
}

static bool has_line(const struct run *run, const char *line)
{
	const char *at = run->output;

	while ((at = strstr(at, line))) {
		if ((at == run->output || at[-1] == '\n') && at[strlen(line)] == '\n')
			return true;
		at++;
	}
	return false;
}

Test(launch, surroundings)
{
	char *const environment[] = {(char[]){"ONE=1"}, (char[]){"TWO=two words"}, NULL};
	static const unsigned char random[16] = {0xde, 0xad, 0xbe, 0xef, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
	struct rfs_launch launch = {
		.cwd = "/usr", .envp = environment, .core = 0, .random = random, .stack_limit = 16 << 20};
	const char *argv[] = {"the name", "a b", "", NULL};
	struct run run;
	sigset_t blocked;
	FILE *in = tmpfile();

	launch.path = program("start", "", "");
	fputs("from a file\n", in);
	rewind(in);
	launch.fd_in = fileno(in);
	/* the program must not inherit the supervisor's signal settings and descriptors */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	sigfillset(&blocked);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	cr_assert_geq(open("/", O_RDONLY), 0);
	run_start(&run, &launch, argv);
	run_all(&run, NULL);
	run_end(&run);
	cr_expect_eq(run.status, 7);
	cr_expect(has_line(&run, "argv the name"));
	cr_expect(has_line(&run, "argv a b"));
	cr_expect(has_line(&run, "argv "));
	cr_expect(has_line(&run, "env ONE=1"));
	cr_expect(has_line(&run, "env TWO=two words"));
	cr_expect_null(strstr(run.output, "env PATH"));
	cr_expect(has_line(&run, "cwd /usr"));
	cr_expect(has_line(&run, "stdin from a file"));
	cr_expect(has_line(&run, "fd 0"));
	cr_expect(has_line(&run, "fd 2"));
	cr_expect_null(strstr(run.output, "fd 3"));
	cr_expect(has_line(&run, "leads 1"));
	cr_expect(has_line(&run, "SigBlk:\t0000000000000000"));
	cr_expect(has_line(&run, "SigIgn:\t0000000000000000"), "%s", run.output);
	cr_expect(has_line(&run, "NoNewPrivs:\t1"));
	cr_expect(has_line(&run, "vdso 0"));
	cr_expect(has_line(&run, "random deadbeef0102030405060708090a0b0c"));
	cr_expect(has_line(&run, "stack 16777216"));
	cr_expect(has_line(&run, "cores 1 first 1"));
	cr_expect(has_line(&run, "error stream"));
	cr_expect(run.info.aslr_on || has_line(&run, "randomize 0"), "%s", run.output);
}

Test(launch, low_descriptors)
{
	const char *argv[] = {"/bin/sh", "-c", "read x; echo out $x; echo err >&2", NULL};
	struct rfs_launch launch = {.core = -1};
	int pipes[2][2];
	char text[64];
	ssize_t n;
	struct run run;

	/* standard output is a copy of a pipe at 1, and standard input one at 2, so descriptors must be swapped */
	cr_assert_eq(pipe(pipes[0]), 0);
	cr_assert_eq(pipe(pipes[1]), 0);
	cr_assert_eq(write(pipes[0][1], "word\n", 5), 5);
	dup2(pipes[0][0], 2);
	dup2(pipes[1][1], 1);
	launch.fd_in = 2;
	launch.fd_out = 1;
	launch.fd_err = 1;
	run_start(&run, &launch, argv);
	run_all(&run, NULL);
	cr_expect_eq(run.status, 0);
	run_end(&run);
	n = read(pipes[1][0], text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	cr_expect_str_eq(text, "out word\nerr\n");
}

Test(launch, failures)
{
	static const struct {
		const char *path, *cwd;
		int core, error;
		const char *word;
	} cases[] = {
		{"/does/not/exist", NULL, -1, -ENOENT, "/does/not/exist"},
		{"/etc", NULL, -1, -EACCES, "/etc"},
		{"/etc/passwd", NULL, -1, -EACCES, "/etc/passwd"},
		{"/bin/true", "/no/folder", -1, -ENOENT, "/no/folder"},
		{"/bin/true", NULL, 1000, -EINVAL, "core 1000"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		static const int none[] = {-1};
		char *const argv[] = {(char[]){"x"}, NULL};
		struct rfs_launch launch = {.path = cases[i].path,
					    .argv = argv,
					    .envp = argv + 1,
					    .cwd = cases[i].cwd,
					    .fd_out = 1,
					    .fd_err = 2,
					    .core = cases[i].core,
					    .traced = none,
					    .enosys = none};
		struct rfs_tracer_info info;
		struct rfs_tracer *tracer;
		char why[512] = "";
		int r = rfs_tracer_launch(&launch, &tracer, &info, why, sizeof(why));

		cr_expect_eq(r, cases[i].error, "%s: %d %s", cases[i].path, r, why);
		cr_expect_not_null(strstr(why, cases[i].word), "%s", why);
	}
}

/* A launch at which no system call stops. All pointers are borrowed. */
static struct rfs_launch unfiltered(const char *path, char *const *argv, char *const *envp)
{
	static const int none[] = {-1};

	return (struct rfs_launch){
		.path = path,
		.argv = argv,
		.envp = envp,
		.fd_out = 1,
		.fd_err = 2,
		.core = -1,
		.traced = none,
		.enosys = none,
	};
}

Test(launch, missing_interpreter)
{
	char path[] = "/tmp/rfsup-script-XXXXXX", why[512] = "";
	char *const argv[] = {path, NULL};
	struct rfs_launch launch = unfiltered(path, argv, argv + 1);
	struct rfs_tracer_info info;
	struct rfs_tracer *tracer;
	int fd = mkstemp(path), r;

	cr_assert_eq(write(fd, "#!/no/such/shell\n", 17), 17);
	fchmod(fd, 0700);
	close(fd);
	r = rfs_tracer_launch(&launch, &tracer, &info, why, sizeof(why));
	unlink(path);
	cr_expect_eq(r, -ENOENT);
	cr_expect_not_null(strstr(why, "interpreter"), "%s", why);
}

Test(launch, same_addresses_every_time)
{
	char first[sizeof(((struct run *)0)->output)] = "";

	for (int i = 0; i < 20; i++) {
		const char *argv[] = {program("addresses", "", ""), NULL};
		struct run run;

		run_program(&run, argv, NULL);
		if (run.info.aslr_on)
			cr_skip_test("cannot disable address-space randomisation");
		if (i == 0)
			strcpy(first, run.output);
		cr_expect_str_eq(run.output, first);
	}
}

static bool gone(pid_t pid)
{
	char path[64], line[256];
	bool is_gone = true;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return true;
	/* a zombie counts as gone: its new parent has only not reaped it yet */
	if (fgets(line, sizeof(line), f))
		is_gone = strstr(line, ") Z ") != NULL;
	fclose(f);
	return is_gone;
}

/* Runs a shell with two sleeping children under the tracer. Writes the task id of each execve to fd. Never returns. */
static void supervise(int fd)
{
	char *const argv[] = {(char[]){"sh"}, (char[]){"-c"}, (char[]){"setsid sleep 1000 & sleep 1000"}, NULL};
	struct rfs_launch launch = unfiltered("/bin/sh", argv, argv + 3);
	struct rfs_tracer_info info;
	struct rfs_tracer *tracer;
	char why[256];

	if (rfs_tracer_launch(&launch, &tracer, &info, why, sizeof(why)))
		_exit(1);
	for (;;) {
		struct rfs_stop stop;
		pid_t tid;

		if (rfs_tracer_wait(tracer, -1, &stop) != 1)
			_exit(1);
		tid = rfs_task_tid(stop.task);
		if (stop.kind == RFS_STOP_EXEC && write(fd, &tid, sizeof(tid)) != sizeof(tid))
			_exit(1);
		if (rfs_task_resume(stop.task, RFS_RESUME_RUN, 0))
			_exit(1);
	}
}

Test(launch, nothing_outlives_the_supervisor)
{
	pid_t pids[4], supervisor;
	int fds[2];

	cr_assert_eq(pipe(fds), 0);
	supervisor = fork();
	if (!supervisor)
		supervise(fds[1]);
	/* one execve of the shell, one of setsid and two of sleep */
	for (int i = 0; i < 4; i++)
		cr_assert_eq(read(fds[0], &pids[i], sizeof(pids[i])), sizeof(pids[i]));
	kill(supervisor, SIGKILL);
	for (int i = 0; i < 4; i++)
		while (!gone(pids[i]))
			usleep(1000);
}

Test(launch, free_kills_all)
{
	const char *argv[] = {"/bin/sh", "-c", "setsid sleep 1000 & sleep 1000", NULL};
	pid_t pids[8];
	int n = 0;
	struct run run;

	run_start(&run, NULL, argv);
	while (run.stops[RFS_STOP_EXEC] < 4) {
		struct rfs_stop stop = run_next(&run);

		if (stop.kind == RFS_STOP_EXEC)
			pids[n++] = rfs_task_tid(stop.task);
		run_resume(&run, &stop);
	}
	run_end(&run);
	for (int i = 0; i < n; i++)
		cr_expect(gone(pids[i]));
}

Test(launch, kill_reports_deaths)
{
	const char *argv[] = {program("threads", "", ""), "10", NULL};
	struct rfs_stop stop;
	struct run run;
	int deaths = 0;

	run_start(&run, NULL, argv);
	run_until(&run, RFS_STOP_NEW);
	rfs_tracer_kill(run.tracer);
	while (rfs_tracer_wait(run.tracer, -1, &stop) == 1) {
		cr_expect_eq(stop.kind, RFS_STOP_KILLED);
		cr_expect_eq(stop.status, SIGKILL);
		deaths++;
		rfs_task_forget(stop.task);
	}
	cr_expect_geq(deaths, 2);
	run_end(&run);
}

Test(launch, wait_times_out)
{
	const char *argv[] = {"/bin/sleep", "1000", NULL};
	struct rfs_stop stop;
	struct run run;

	run_start(&run, NULL, argv);
	stop = run_until(&run, RFS_STOP_EXEC);
	cr_expect_eq(rfs_tracer_wait(run.tracer, 0, &stop), 0);
	cr_expect_eq(rfs_tracer_wait(run.tracer, 20, &stop), 0);
	run_resume(&run, &stop);
	cr_expect_eq(rfs_tracer_wait(run.tracer, 1, &stop), 0);
	cr_expect_eq(rfs_tracer_wait(run.tracer, 120, &stop), 0);
	run_end(&run);
}

static void on_alarm(int signo)
{
	(void)signo;
}

Test(launch, wait_ends_at_a_signal)
{
	const struct sigaction action = {.sa_handler = on_alarm};
	const char *argv[] = {"/bin/sleep", "1000", NULL};
	struct itimerval soon = {.it_value.tv_usec = 20000, .it_interval.tv_usec = 20000};
	struct rfs_stop stop;
	struct run run;

	run_start(&run, NULL, argv);
	stop = run_until(&run, RFS_STOP_EXEC);
	run_resume(&run, &stop);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	cr_expect_eq(rfs_tracer_wait(run.tracer, -1, &stop), 0);
	cr_expect_eq(rfs_tracer_wait(run.tracer, 50000, &stop), 0);
	run_end(&run);
}
