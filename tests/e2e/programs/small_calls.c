/*
 * small_calls ids: calls with ids of the program's own processes and threads.
 * small_calls creat|openat2 FIFO: one thread writes a variable before it opens a FIFO, which the other one opens before
 * it reads the variable.
 * small_calls restart: a signal whose handler has SA_RESTART arrives after a poll, while the thread locks a file.
 * Exit status: 0, or the number of the failed check.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <linux/openat2.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define IOPRIO_WHO_PROCESS 1

static const char *how, *fifo;
static int ends[2], shared;
static pthread_t first;

static int ids(void)
{
	struct {
		unsigned size, policy;
		unsigned long long more[8];
	} attr = {0};
	pid_t self = getpid(), child;
	void *head = NULL;
	size_t size = 0;
	int status = 0;

	if (syscall(SYS_kcmp, self, self, KCMP_FILE, 1, 1) != 0)
		return 2;
	if (syscall(SYS_sched_getattr, syscall(SYS_gettid), &attr, sizeof(attr), 0) != 0)
		return 3;
	if (syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, self) < 0)
		return 4;
	if (syscall(SYS_get_robust_list, self, &head, &size) != 0 || !head)
		return 5;
	child = fork();
	if (child == 0)
		_exit(syscall(SYS_kcmp, getppid(), getpid(), KCMP_FILE, 1, 1) != 0 ||
		      syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, getppid()) < 0);
	return waitpid(child, &status, 0) != child || status ? 6 : 0;
}

static void *opens(void *arg)
{
	struct open_how how_to = {.flags = O_WRONLY};
	int fd;

	shared = 1;
	if (strcmp(how, "creat") == 0)
		fd = creat(fifo, 0600);
	else
		fd = (int)syscall(SYS_openat2, AT_FDCWD, fifo, &how_to, sizeof(how_to));
	if (fd >= 0)
		close(fd);
	return arg;
}

static int meets(void)
{
	pthread_t thread;
	int fd, value;

	if (mkfifo(fifo, 0600))
		return 2;
	pthread_create(&thread, NULL, opens, NULL);
	fd = open(fifo, O_RDONLY);
	value = shared;
	pthread_join(thread, NULL);
	unlink(fifo);
	return fd < 0 || value != 1 ? 3 : 0;
}

static void handler(int signo)
{
	(void)signo;
}

static void *signals(void *arg)
{
	if (write(ends[1], "x", 1) != 1)
		return arg;
	pthread_kill(first, SIGUSR1);
	return NULL;
}

static int restarts(void)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
	struct pollfd readable = {.events = POLLIN};
	FILE *file = tmpfile();
	pthread_t thread;

	if (!file || pipe(ends))
		return 2;
	sigaction(SIGUSR1, &action, NULL);
	first = pthread_self();
	readable.fd = ends[0];
	pthread_create(&thread, NULL, signals, NULL);
	while (poll(&readable, 1, -1) != 1)
		if (errno != EINTR)
			return 3;
	if (flock(fileno(file), LOCK_EX))
		return 4;
	pthread_join(thread, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	how = argc > 1 ? argv[1] : "ids";
	fifo = argc > 2 ? argv[2] : "fifo";
	if (strcmp(how, "ids") == 0)
		return ids();
	return strcmp(how, "restart") == 0 ? restarts() : meets();
}
