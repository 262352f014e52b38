/*
 * order_close: a worker gets descriptors through a queue and uses them. Another thread closes them some time after the
 * queue has become empty, and does not wait for the worker. The argument says how the worker uses its descriptor, and
 * how it is closed (a write and close without argument).
 *
 * Answer: failure, no race, no atomicity violation: the worker uses a descriptor after it was closed.
 * Plain and random runs: never fail, because the worker is done long before the descriptor is closed.
 * Twin: the service waits for the worker.
 */
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "late.h"
#include "target.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int queue[4], n_queued;
static FILE *file;
static const char *how = "write";

static int is(const char *name)
{
	return strcmp(how, name) == 0;
}

static int take(void)
{
	int descriptor;

	pthread_mutex_lock(&lock);
	while (!n_queued)
		pthread_cond_wait(&filled, &lock);
	descriptor = queue[--n_queued];
	pthread_cond_signal(&emptied);
	pthread_mutex_unlock(&lock);
	return descriptor;
}

static void put(int descriptor)
{
	pthread_mutex_lock(&lock);
	queue[n_queued++] = descriptor;
	pthread_cond_signal(&filled);
	pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) static void use(int descriptor)
{
	struct pollfd polled[2] = {{.fd = STDOUT_FILENO}, {.fd = descriptor, .events = POLLOUT}};
	char byte = 'x';

	if (is("poll")) {
		if (poll(polled, 2, -1) < 1 || (polled[1].revents & POLLNVAL))
			fail("a descriptor of the set is closed");
	} else if (is("send")) {
		if (send(descriptor, &byte, 1, MSG_NOSIGNAL) != 1)
			fail("the message is lost");
	} else if (is("pwrite")) {
		if (pwrite(descriptor, &byte, 1, 7) != 1)
			fail("the record is lost");
	} else if (write(descriptor, &byte, 1) != 1) {
		fail("the byte is lost");
	}
}

static void *work(void *arg)
{
	use(take());
	return arg;
}

static void *shut_down(void *arg)
{
	const int descriptor = fileno(file);

	pthread_mutex_lock(&lock);
	while (n_queued)
		pthread_cond_wait(&emptied, &lock);
	pthread_mutex_unlock(&lock);
	come_late();
#ifdef FIXED
	pthread_join(*(pthread_t *)arg, NULL);
#endif
	if (is("fclose"))
		fclose(file);
	else if (is("range"))
		close_range((unsigned)descriptor, (unsigned)descriptor + 1, 0);
	else
		close(descriptor);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	int ends[2] = {-1, -1};

	if (argc > 1)
		how = argv[1];
	if (is("send") || is("poll")) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
			fail("socketpair");
		file = fdopen(ends[0], "r+");
	} else {
		file = tmpfile();
	}
	if (!file)
		fail("no file");
	put(fileno(file));
	threads[0] = start(work, NULL);
	threads[1] = start(shut_down, &threads[0]);
#ifndef FIXED
	pthread_join(threads[0], NULL);
#endif
	pthread_join(threads[1], NULL);
	return 0;
}
