/*
 * early WHAT: does one thing before main that a copy of the process would not have or would not repeat; "nothing" does
 * none. Then main runs two threads that count. "input" reads all of standard input in main and prints how much that
 * was. "waits" ends while a thread still waits at a pipe.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static pid_t pid;

static void *count(void *arg)
{
	pthread_mutex_lock(&lock);
	counter++;
	pthread_mutex_unlock(&lock);
	return arg;
}

static int is(int argc, char **argv, const char *what)
{
	return argc > 1 && strcmp(argv[1], what) == 0;
}

__attribute__((constructor)) static void before_main(int argc, char **argv)
{
	struct itimerval never = {{0, 0}, {1000, 0}};
	pthread_t thread;
	char byte;
	int null;

	if (is(argc, argv, "pid"))
		pid = getpid();
	if (is(argc, argv, "thread") && !pthread_create(&thread, NULL, count, NULL))
		pthread_join(thread, NULL);
	if (is(argc, argv, "file"))
		open("/dev/null", O_RDONLY);
	if (is(argc, argv, "writes") && write(open("early.txt", O_WRONLY | O_CREAT, 0666), "x", 1) != 1)
		abort();
	if (is(argc, argv, "null") && (write(null = open("/dev/null", O_RDWR), "x", 1) != 1 || close(null)))
		abort();
	if (is(argc, argv, "socket"))
		close(socket(AF_UNIX, SOCK_STREAM, 0));
	if (is(argc, argv, "timer"))
		setitimer(ITIMER_REAL, &never, NULL);
	if (is(argc, argv, "output") && write(STDOUT_FILENO, "early\n", 6) != 6)
		abort();
	if (is(argc, argv, "reads") && read(STDIN_FILENO, &byte, 1) != 1)
		abort();
	if (is(argc, argv, "shares"))
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (is(argc, argv, "forgets"))
		madvise(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096, MADV_WIPEONFORK);
	if (is(argc, argv, "locks"))
		pthread_mutex_lock(&lock);
	if (is(argc, argv, "pends")) {
		sigset_t set;

		sigemptyset(&set);
		sigaddset(&set, SIGUSR1);
		sigprocmask(SIG_BLOCK, &set, NULL);
		raise(SIGUSR1);
	}
}

static void *wait_for_ever(void *ends)
{
	char byte;

	return read(*(int *)ends, &byte, 1) == 1 ? ends : NULL;
}

static int count_input(void)
{
	char buf[100];
	ssize_t got, all = 0;

	while ((got = read(STDIN_FILENO, buf, sizeof(buf))) > 0)
		all += got;
	printf("%d bytes\n", (int)all);
	return all != 1000;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	struct timespec now;
	int ends[2];

	if (is(argc, argv, "pid") && pid != getpid())
		return 1;
	if (is(argc, argv, "locks"))
		pthread_mutex_unlock(&lock);
	if (is(argc, argv, "input") && count_input())
		return 2;
	if (is(argc, argv, "waits") && (pipe(ends) || pthread_create(&threads[0], NULL, wait_for_ever, ends)))
		return 4;
	/* a look at the clock in main, which forbids no copies */
	clock_gettime(CLOCK_REALTIME, &now);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return counter >= 2 ? 0 : 3;
}
