/*
 * deadlock_pipes: two threads send each other more than fits into a pipe, and then receive.
 *
 * Usage: deadlock_pipes [sockets|child]. sockets: pairs of sockets in place of pipes. child: a child process holds
 * the other ends, and empties the pipes after a while.
 *
 * Answer: a deadlock if the second thread does not know that the first one sends. No lock is in it.
 * Plain runs: rarely fail.
 * Twin: the second thread receives first.
 */
#include "target.h"
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SIZE 1000000

static int there[2], back[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool sends;
static char data[SIZE];

static void send_all(int fd)
{
	for (size_t n = 0; n < SIZE;) {
		ssize_t k = write(fd, data + n, SIZE - n);

		if (k <= 0)
			fail("write");
		n += (size_t)k;
	}
}

static void receive_all(int fd)
{
	char part[4096];

	for (size_t n = 0; n < SIZE;) {
		ssize_t k = read(fd, part, sizeof(part));

		if (k <= 0)
			fail("read");
		n += (size_t)k;
	}
}

static void *first(void *arg)
{
	pthread_mutex_lock(&mutex);
	sends = true;
	pthread_mutex_unlock(&mutex);
	send_all(there[1]);
	receive_all(back[0]);
	return arg;
}

static void *second(void *arg)
{
	bool receives;

	pthread_mutex_lock(&mutex);
	receives = sends;
	pthread_mutex_unlock(&mutex);
#ifdef FIXED
	receives = true;
#endif
	if (receives)
		receive_all(there[0]);
	send_all(back[1]);
	if (!receives)
		receive_all(there[0]);
	return arg;
}

int main(int argc, char **argv)
{
	bool sockets = argc > 1 && !strcmp(argv[1], "sockets");
	pthread_t threads[2];

	if (sockets ? socketpair(AF_UNIX, SOCK_STREAM, 0, there) || socketpair(AF_UNIX, SOCK_STREAM, 0, back)
		    : pipe(there) || pipe(back))
		fail("pipe");
	if (argc > 1 && !strcmp(argv[1], "child") && fork() == 0) {
		usleep(300000);
		receive_all(there[0]);
		receive_all(back[0]);
		send_all(back[1]);
		send_all(there[1]);
		_exit(0);
	}
	threads[0] = start(first, NULL);
	threads[1] = start(second, NULL);
	join(threads[0]);
	join(threads[1]);
	puts("done");
	return 0;
}
