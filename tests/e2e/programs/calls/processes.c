/*
 * processes.c - processes that start others, and what the kernel tells of them. The case program_32_bit executes the
 * program that the argument after it names.
 */
#include "calls.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>

extern char **environ;

static int line_of(const char *path, const char *key, char *value, size_t n)
{
	FILE *file = fopen(path, "r");
	char line[256];

	*value = 0;
	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == ':')
			snprintf(value, n, "%s", line + strlen(key) + 2);
	if (file)
		fclose(file);
	return atoi(value);
}

static int vforks(void)
{
	static volatile int shared;
	int status;
	pid_t child = vfork();

	if (child == 0) {
		shared = 1;
		execl("/bin/true", "true", NULL);
		_exit(9);
	}
	CHECK(shared == 1 && waitpid(child, &status, 0) == child && status == 0);
	child = vfork();
	if (child == 0)
		_exit(5);
	CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 5);
	return 0;
}

static int spawns(void)
{
	posix_spawn_file_actions_t actions;
	char text[16] = "";
	int ends[2], status;
	pid_t child;
	char *argv[] = {"echo", "hello", NULL};

	CHECK(pipe(ends) == 0);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	CHECK(posix_spawn(&child, "/bin/echo", &actions, NULL, argv, environ) == 0);
	close(ends[1]);
	CHECK(read(ends[0], text, sizeof(text)) == 6 && strcmp(text, "hello\n") == 0);
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	CHECK(posix_spawn(&child, "/nonexistent", NULL, NULL, argv, environ) == ENOENT);
	return 0;
}

static int shells(void)
{
	char text[16] = "";
	FILE *pipe_to;

	CHECK(system("exit 3") == 3 << 8);
	CHECK(system("kill -9 $$") == SIGKILL);
	pipe_to = popen("echo hi; sleep 0.1; echo ho", "r");
	CHECK(pipe_to && fgets(text, sizeof(text), pipe_to) && strcmp(text, "hi\n") == 0);
	CHECK(fgets(text, sizeof(text), pipe_to) && strcmp(text, "ho\n") == 0);
	CHECK(pclose(pipe_to) == 0);
	return 0;
}

static int shared_word;

static int sets_word(void *arg)
{
	shared_word = *(int *)arg;
	return 4;
}

static int clones(void)
{
	static char stack[65536];
	int value = 7, status;
	pid_t child = clone(sets_word, stack + sizeof(stack), CLONE_VM | SIGCHLD, &value);

	CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 4 && shared_word == 7);
	value = 9;
	child = clone(sets_word, stack + sizeof(stack), CLONE_VM | CLONE_FILES | CLONE_FS, &value);
	CHECK(waitpid(child, &status, __WALL) == child && shared_word == 9);
	value = 10;
	child = clone(sets_word, stack + sizeof(stack), CLONE_FILES | SIGCHLD, &value);
	CHECK(waitpid(child, &status, 0) == child && shared_word == 9);
	return 0;
}

static int clone_failures(void)
{
	CHECK(syscall(SYS_clone, CLONE_THREAD, 0, 0, 0, 0) == -1 && errno == EINVAL);
	CHECK(syscall(SYS_clone3, NULL, 4) == -1 && errno == EINVAL);
	return 0;
}

static int daemons(void)
{
	int ends[2], status;
	pid_t child, pids[2] = {0};

	CHECK(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
	CHECK(pipe(ends) == 0);
	child = fork();
	if (child == 0) {
		if (fork() == 0) {
			setsid();
			while (getppid() == child)
				usleep(1000);
			usleep(50000);
			pids[0] = getpid();
			pids[1] = getppid();
			(void)!write(ends[1], pids, sizeof(pids));
			_exit(6);
		}
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	CHECK(read(ends[0], pids, sizeof(pids)) == sizeof(pids));
	CHECK(pids[1] == getpid());
	CHECK(wait(&status) == pids[0] && WEXITSTATUS(status) == 6);
	return 0;
}

static int fexecs(void)
{
	char *argv[] = {"true", NULL};
	int fd = open("/bin/true", O_RDONLY | O_CLOEXEC), status;
	pid_t child = fork();

	if (child == 0) {
		fexecve(fd, argv, environ);
		_exit(8);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	if (!getenv("CALLS_AGAIN")) {
		char *self[] = {"processes", "fexecs", NULL};

		setenv("CALLS_AGAIN", "1", 1);
		fd = open("/proc/self/exe", O_RDONLY);
		fexecve(fd, self, environ);
		return 1;
	}
	return 0;
}

static int execat(void)
{
	char *argv[] = {"sh", "-c", "exit 5", NULL};
	int folder = open("/bin", O_PATH), status;

	status = IN_CHILD((syscall(SYS_execveat, folder, "sh", argv, environ, 0), 1));
	CHECK(WEXITSTATUS(status) == 5);
	status = IN_CHILD((execl("/nonexistent", "x", NULL), errno != ENOENT));
	CHECK(status == 0);
	status = IN_CHILD((execl("/etc/passwd", "x", NULL), errno != EACCES));
	CHECK(status == 0);
	return 0;
}

static int program_32_bit(void)
{
	const char *program = calls_argument;

	CHECK(!program || WEXITSTATUS(IN_CHILD((execl(program, program, NULL), 1))) == 7);
	return 0;
}

static int script(void)
{
	char name[] = "/tmp/script-XXXXXX";
	int fd = mkstemp(name), status;

	CHECK(write(fd, "#!/bin/sh\nexit 4\n", 17) == 17 && fchmod(fd, 0700) == 0);
	close(fd);
	status = IN_CHILD((execl(name, name, NULL), 1));
	unlink(name);
	CHECK(WEXITSTATUS(status) == 4);
	return 0;
}

static int memory_program(void)
{
	int from = open("/bin/true", O_RDONLY), to = memfd_create("program", 0);
	char buffer[65536], *argv[] = {"true", NULL};
	ssize_t n;

	while ((n = read(from, buffer, sizeof(buffer))) > 0)
		CHECK(write(to, buffer, (size_t)n) == n);
	CHECK(IN_CHILD((fexecve(to, argv, environ), 1)) == 0);
	return 0;
}

static int names(void)
{
	char name[32] = "", text[32];

	CHECK(prctl(PR_SET_NAME, "a name") == 0 && prctl(PR_GET_NAME, name) == 0 && strcmp(name, "a name") == 0);
	line_of("/proc/self/status", "Name", text, sizeof(text));
	CHECK(strcmp(text, "a name\n") == 0);
	CHECK(pthread_setname_np(pthread_self(), "other") == 0);
	CHECK(pthread_getname_np(pthread_self(), name, sizeof(name)) == 0 && strcmp(name, "other") == 0);
	return 0;
}

static int prctls(void)
{
	int signo = 0;

	CHECK(prctl(PR_GET_DUMPABLE) == 1);
	CHECK(prctl(PR_SET_DUMPABLE, 0) == 0 && prctl(PR_GET_DUMPABLE) == 0 && prctl(PR_SET_DUMPABLE, 1) == 0);
	CHECK(prctl(PR_SET_PDEATHSIG, SIGUSR1) == 0 && prctl(PR_GET_PDEATHSIG, &signo) == 0 && signo == SIGUSR1);
	CHECK(prctl(PR_SET_PDEATHSIG, 0) == 0);
	CHECK(prctl(PR_GET_TSC, &signo) == 0 && signo == PR_TSC_ENABLE);
	CHECK(prctl(PR_GET_KEEPCAPS) == 0 && prctl(PR_GET_TIMERSLACK) > 0);
	CHECK(prctl(PR_GET_TID_ADDRESS, &(void *){0}) == 0 || errno == EINVAL);
	return 0;
}

static int seccomp_state(void)
{
	char text[32];

	CHECK(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0);
	CHECK(prctl(PR_GET_SECCOMP) == 0);
	CHECK(line_of("/proc/self/status", "Seccomp", text, sizeof(text)) == 0);
	CHECK(line_of("/proc/self/status", "NoNewPrivs", text, sizeof(text)) == 0);
	CHECK(IN_CHILD(prctl(PR_GET_SECCOMP) != 0) == 0);
	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
	return 0;
}

static int own_filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 77),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_uname, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 78),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};
	char space[1024];

	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
	CHECK(prctl(PR_GET_SECCOMP) == 2);
	CHECK(syscall(SYS_uname, space) == -1 && errno == 78);
	CHECK(syscall(SYS_getppid) == -1 && errno == 77);
	return 0;
}

static int death_signal(void)
{
	int ends[2];
	char byte = 0;
	pid_t child;

	CHECK(pipe(ends) == 0);
	child = fork();
	if (child == 0) {
		pid_t grandchild = fork();

		if (grandchild == 0) {
			signal(SIGUSR1, SIG_IGN);
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			(void)!write(ends[1], "r", 1);
			pause();
			(void)!write(ends[1], "x", 1);
			_exit(0);
		}
		usleep(50000);
		_exit(0);
	}
	close(ends[1]);
	CHECK(waitpid(child, NULL, 0) == child);
	CHECK(read(ends[0], &byte, 1) == 1 && byte == 'r');
	CHECK(read(ends[0], &byte, 1) == 0);
	return 0;
}

static int limits(void)
{
	struct rlimit limit;
	struct rusage usage;

	CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	limit.rlim_cur = 20;
	CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	while (dup(0) >= 0)
		;
	CHECK(errno == EMFILE);
	CHECK(getrusage(RUSAGE_SELF, &usage) == 0 && usage.ru_maxrss > 0);
	CHECK(getrusage(RUSAGE_CHILDREN, &usage) == 0 && getrusage(RUSAGE_THREAD, &usage) == 0);
	CHECK(getrusage(99, &usage) == -1 && errno == EINVAL);
	return 0;
}

static int few_descriptors(void)
{
	struct rlimit limit = {8, 8};
	int ends[2];
	struct pollfd fd = {.events = POLLIN};

	CHECK(pipe(ends) == 0);
	fd.fd = ends[0];
	CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	CHECK(poll(&fd, 1, 10) == 0);
	CHECK(IN_CHILD(write(ends[1], "x", 1) != 1) == 0);
	CHECK(poll(&fd, 1, -1) == 1);
	return 0;
}

static int scheduling(void)
{
	struct sched_param param = {0};

	CHECK(sched_setscheduler(0, SCHED_BATCH, &param) == 0 && sched_getscheduler(getpid()) == SCHED_BATCH);
	CHECK(nice(1) >= 0 && getpriority(PRIO_PROCESS, getpid()) == 1);
	CHECK(sysconf(_SC_NPROCESSORS_ONLN) > 0 && sysconf(_SC_CLK_TCK) > 0);
	CHECK(personality(0xffffffff) >= 0);
	return 0;
}

static int unshares(void)
{
	CHECK(unshare(CLONE_FILES) == 0);
	CHECK(unshare(CLONE_FS) == 0);
	CHECK(IN_CHILD(chdir("/tmp") != 0) == 0);
	return 0;
}

static int waits_for_some(void)
{
	int status;
	pid_t children[3];
	siginfo_t info = {0};

	for (int i = 0; i < 3; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			usleep((unsigned)(i * 20000));
			_exit(i);
		}
	}
	CHECK(waitpid(children[1], &status, 0) == children[1] && WEXITSTATUS(status) == 1);
	CHECK(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) == 0 &&
	      (info.si_pid == children[0] || info.si_pid == children[2]));
	CHECK(wait(&status) > 0 && wait(&status) > 0 && wait(&status) == -1);
	return 0;
}

static void *forks(void *arg)
{
	int status = IN_CHILD(0);

	return status == 0 ? arg : NULL;
}

static int threads_fork(void)
{
	pthread_t threads[3];
	void *result;

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, forks, threads);
	for (int i = 0; i < 3; i++) {
		pthread_join(threads[i], &result);
		CHECK(result == threads);
	}
	return 0;
}

static void *in_grandchild(void *arg)
{
	return arg;
}

static int grandchild(void)
{
	pthread_t thread;

	CHECK(IN_CHILD(IN_CHILD(pthread_create(&thread, NULL, in_grandchild, NULL) || pthread_join(thread, NULL))) ==
	      0);
	return 0;
}

static void *exits(void *arg)
{
	(void)arg;
	usleep(1000);
	exit(0);
}

static int leader_exits(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, exits, NULL);
	pthread_exit(NULL);
}

static int capabilities(void)
{
	struct __user_cap_header_struct header = {0x20080522, 0};
	struct __user_cap_data_struct data[2];

	CHECK(syscall(SYS_capget, &header, data) == 0);
	header.pid = getpid();
	CHECK(syscall(SYS_capget, &header, data) == 0);
	CHECK(setuid(getuid()) == 0 && setgid(getgid()) == 0 && getgroups(0, NULL) >= 0);
	return 0;
}

static int atforks;

static void forked(void)
{
	atforks++;
}

static int fork_handlers(void)
{
	pthread_atfork(forked, forked, forked);
	CHECK(IN_CHILD(atforks != 2) == 0);
	CHECK(atforks == 2);
	return 0;
}

static void *pauses(void *unused)
{
	(void)unused;
	for (;;)
		pause();
}

/* The other threads of a process end before it executes a program. */
static int thread_executes(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		pthread_t thread;

		pthread_create(&thread, NULL, pauses, NULL);
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	return 0;
}

static int zombie_of_thread(void)
{
	int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	struct pollfd poll_fd = {.events = POLLIN};
	pid_t child = fork();

	CHECK(fd >= 0);
	if (child == 0) {
		usleep(30000);
		_exit(0);
	}
	poll_fd.fd = (int)syscall(SYS_pidfd_open, child, 0);
	CHECK(poll_fd.fd >= 0 && poll(&poll_fd, 1, 5000) == 1);
	CHECK(waitpid(child, NULL, 0) == child);
	return 0;
}

CALLS_MAIN(CASE(vforks), CASE(spawns), CASE(shells), CASE(clones), CASE(clone_failures), CASE(daemons), CASE(fexecs),
	   CASE(execat), CASE(script), CASE(program_32_bit), CASE(memory_program), CASE(names), CASE(prctls),
	   CASE(seccomp_state), CASE(own_filter), CASE(death_signal), CASE(limits), CASE(few_descriptors),
	   CASE(scheduling), CASE(unshares), CASE(waits_for_some), CASE(threads_fork), CASE(grandchild),
	   CASE(leader_exits), CASE(capabilities), CASE(fork_handlers), CASE(zombie_of_thread), CASE(thread_executes))
