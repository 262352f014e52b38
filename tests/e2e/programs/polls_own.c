/*
 * Two threads wait for each other's descriptor, each before it writes, so that nobody ever writes. No lock is in it.
 *
 * Argument 1, what is awaited: pipe, socket, eventfd. Argument 2, the call: poll, select, epoll. Argument 3: nothing,
 * or why it is no deadlock: child (a child process writes later), writer (a third thread writes later), timer (a timer
 * of the process writes later, in its handler), timeout (the calls give up), signal (a handler of SIGTERM could write).
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static const char *what, *call, *why;
static int from[2], to[2]; /* of each thread: where it reads, and what the other one writes */

static void write_to(int i)
{
	const uint64_t one = 1;

	if (write(to[i], &one, sizeof(one)) != sizeof(one))
		_exit(3);
}

static void make(int i)
{
	int ends[2];

	if (strcmp(what, "eventfd") == 0) {
		from[i] = to[i] = eventfd(0, 0);
		return;
	}
	if (strcmp(what, "socket") == 0 ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends))
		_exit(3);
	from[i] = ends[0];
	to[i] = ends[1];
}

static void await(int fd)
{
	const int timeout = strcmp(why, "timeout") == 0 ? 20 : -1;
	struct timeval tv = {0, timeout * 1000};

	if (strcmp(call, "poll") == 0) {
		struct pollfd p = {fd, POLLIN, 0};

		poll(&p, 1, timeout);
	} else if (strcmp(call, "select") == 0) {
		fd_set set;

		FD_ZERO(&set);
		FD_SET(fd, &set);
		select(fd + 1, &set, NULL, NULL, timeout < 0 ? NULL : &tv);
	} else {
		int epoll = epoll_create1(0);
		struct epoll_event event = {.events = EPOLLIN};

		epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
		epoll_wait(epoll, &event, 1, timeout);
		close(epoll);
	}
}

static void *thread(void *arg)
{
	const int i = (int)(intptr_t)arg;

	await(from[i]);
	write_to(!i);
	return NULL;
}

static void *writer(void *arg)
{
	usleep(1000);
	write_to(0);
	return arg;
}

static void handler(int signo)
{
	(void)signo;
	write_to(0);
}

int main(int argc, char **argv)
{
	pthread_t threads[3];
	int n = 2;

	if (argc < 3)
		return 2;
	what = argv[1];
	call = argv[2];
	why = argc > 3 ? argv[3] : "";
	make(0);
	make(1);
	if (strcmp(why, "signal") == 0)
		signal(SIGTERM, handler);
	if (strcmp(why, "timer") == 0) {
		const struct itimerval soon = {.it_value = {0, 50000}};

		signal(SIGALRM, handler);
		setitimer(ITIMER_REAL, &soon, NULL);
	}
	if (strcmp(why, "child") == 0 && fork() == 0) {
		usleep(200000);
		write_to(0);
		_exit(0);
	}
	for (intptr_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, thread, (void *)i);
	if (strcmp(why, "writer") == 0)
		pthread_create(&threads[n++], NULL, writer, NULL);
	while (n--)
		pthread_join(threads[n], NULL);
	return 0;
}
