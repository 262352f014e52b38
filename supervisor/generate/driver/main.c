/*
 * main.c - the program that executes generated tests. The shim and the library are loaded before it (LD_PRELOAD).
 *
 *	rfsup-driver serve		reads tests from standard input and executes each in a fork, without threads
 *	rfsup-driver run FILE		executes the test in FILE: the prefix, then both suffixes at the same time
 *	rfsup-driver order FILE 1221	the same, but the suffixes take turns: one digit for each call
 *
 * A test for serve is a decimal number of bytes, a newline, and this many bytes of script.h. It is answered by a line:
 *
 *	ok RESULT...		each call has returned; the results in hexadecimal digits
 *	signal N RESULT...	signal N ended it; RESULT only of those that had returned
 *	exit N RESULT...	it called exit(N)
 *	late RESULT...		it took too long
 *	bad WHY			it is no test
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "supervisor/generate/driver/script.h"

#define TEST_BYTES_MAX (1 << 16)
#define SERVED_MS 500	     /* the longest test of serve */
#define STATUS_FINISHED 0x5a /* of a child that has executed all calls */

/* What a child has done, in memory that it shares with its parent. */
struct progress {
	size_t n;
	uint64_t results[RFS_DRIVER_SECTIONS * RFS_DRIVER_CALLS];
};

static struct rfs_driver_script script;

static void execute_section(size_t section, struct progress *progress)
{
	for (size_t i = 0; i < script.n[section]; i++) {
		const struct rfs_driver_call *call = &script.calls[section][i];

		rfs_driver_execute(&script, call);
		if (progress)
			progress->results[progress->n++] = call->slot >= 0 ? script.slots[call->slot] : 0;
	}
}

/* ---- serve ---- */

static void child(struct progress *progress)
{
	const struct rlimit time = {2, 2}, none = {0, 0};
	int null = open("/dev/null", O_RDWR);

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	setrlimit(RLIMIT_CPU, &time);
	setrlimit(RLIMIT_CORE, &none);
	for (size_t section = 0; section < RFS_DRIVER_SECTIONS; section++)
		execute_section(section, progress);
	_exit(STATUS_FINISHED);
}

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits for the child, at most SERVED_MS. False: it was killed. */
static bool wait_for(pid_t pid, int *status)
{
	const struct timespec limit = {SERVED_MS / 1000, SERVED_MS % 1000 * 1000000};
	long end = now_ms() + SERVED_MS;
	sigset_t ended;

	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	while (waitpid(pid, status, WNOHANG) == 0) {
		if (sigtimedwait(&ended, NULL, &limit) < 0 && errno == EAGAIN && now_ms() >= end) {
			kill(-pid, SIGKILL);
			kill(pid, SIGKILL);
			waitpid(pid, status, 0);
			return false;
		}
	}
	return true;
}

static void answer(const struct progress *progress, bool in_time, int status)
{
	if (!in_time)
		printf("late");
	else if (WIFSIGNALED(status))
		printf("signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status) != STATUS_FINISHED)
		printf("exit %d", WEXITSTATUS(status));
	else
		printf("ok");
	for (size_t i = 0; i < progress->n; i++)
		printf(" %llx", (unsigned long long)progress->results[i]);
	printf("\n");
	fflush(stdout);
}

static void serve_one(const char *text, size_t n, struct progress *progress)
{
	char why[128] = "out of memory";
	bool in_time;
	int status;
	pid_t pid;

	progress->n = 0;
	if (!rfs_driver_script_read(text, n, &script, why, sizeof(why))) {
		printf("bad %s\n", why);
		fflush(stdout);
	} else {
		pid = fork();
		if (pid == 0) {
			setpgid(0, 0);
			child(progress);
		}
		if (pid < 0)
			exit(2);
		in_time = wait_for(pid, &status);
		answer(progress, in_time, status);
	}
	rfs_driver_script_clear(&script);
}

static int serve(void)
{
	struct progress *progress =
		mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	static char text[TEST_BYTES_MAX];
	sigset_t ended;
	size_t n;

	if (progress == MAP_FAILED)
		return 2;
	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ended, NULL);
	while (scanf("%zu", &n) == 1 && getchar() == '\n') {
		if (n > sizeof(text) || fread(text, 1, n, stdin) != n)
			return 2;
		serve_one(text, n, progress);
	}
	return 0;
}

/* ---- run and order ---- */

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	const char *order; /* the rest of it; NULL: no turns */
} turns = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL};

static void wait_for_turn(size_t section)
{
	pthread_mutex_lock(&turns.lock);
	while (*turns.order && (size_t)(*turns.order - '0') != section)
		pthread_cond_wait(&turns.changed, &turns.lock);
	pthread_mutex_unlock(&turns.lock);
}

static void end_turn(void)
{
	pthread_mutex_lock(&turns.lock);
	if (*turns.order)
		turns.order++;
	pthread_cond_broadcast(&turns.changed);
	pthread_mutex_unlock(&turns.lock);
}

static void *suffix(void *arg)
{
	size_t section = (size_t)arg;

	for (size_t i = 0; i < script.n[section]; i++) {
		if (turns.order)
			wait_for_turn(section);
		rfs_driver_execute(&script, &script.calls[section][i]);
		if (turns.order)
			end_turn();
	}
	return NULL;
}

static bool read_file(const char *path)
{
	static char text[TEST_BYTES_MAX];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text)) : -1;
	char why[128] = "out of memory";

	if (n < 0) {
		fprintf(stderr, "rfsup-driver: %s: %s\n", path, strerror(errno));
		return false;
	}
	close(fd);
	if (!rfs_driver_script_read(text, (size_t)n, &script, why, sizeof(why))) {
		fprintf(stderr, "rfsup-driver: %s: %s\n", path, why);
		return false;
	}
	return true;
}

static int run(const char *path, const char *order)
{
	pthread_t threads[RFS_DRIVER_SECTIONS];

	turns.order = order;
	if (!read_file(path))
		return 2;
	execute_section(0, NULL);
	for (size_t i = 1; i < RFS_DRIVER_SECTIONS; i++) {
		if (pthread_create(&threads[i], NULL, suffix, (void *)i))
			return 2;
	}
	for (size_t i = 1; i < RFS_DRIVER_SECTIONS; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "serve") == 0)
		return serve();
	if (argc == 3 && strcmp(argv[1], "run") == 0)
		return run(argv[2], NULL);
	if (argc == 4 && strcmp(argv[1], "order") == 0)
		return run(argv[2], argv[3]);
	fprintf(stderr, "rfsup-driver: rfsup --generate starts it\n");
	return 2;
}
