/*
 * The two threads of a process wait for each other's message for good: in read(2), recv(2) or poll(2).
 *
 * Argument 1, what is awaited: pipe, fifo, socket, datagram, eventfd. Argument 2: read, recv or poll. Argument 3, if
 * given: child (a child process writes after four seconds, so the program ends) or the path of a FIFO.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *call;
static int from[2], to[2]; /* of each thread: where it reads, and what the other one writes */

static void write_to(int i)
{
	const uint64_t one = 1;

	if (write(to[i], &one, sizeof(one)) != sizeof(one))
		_exit(3);
}

static int open_fifo(const char *path)
{
	char own[] = "/tmp/waits_own.XXXXXX", name[sizeof(own) + 4];
	int fd;

	if (path)
		return open(path, O_RDWR);
	if (!mkdtemp(own))
		return -1;
	snprintf(name, sizeof(name), "%s/f", own);
	if (mkfifo(name, 0600))
		return -1;
	fd = open(name, O_RDWR);
	unlink(name);
	rmdir(own);
	return fd;
}

static void make(const char *what, int i, const char *path)
{
	int ends[2] = {-1, -1};

	if (strcmp(what, "eventfd") == 0)
		ends[0] = ends[1] = eventfd(0, 0);
	else if (strcmp(what, "fifo") == 0)
		ends[0] = ends[1] = open_fifo(path);
	else if (strcmp(what, "pipe") == 0
			 ? pipe(ends)
			 : socketpair(AF_UNIX, strcmp(what, "datagram") ? SOCK_STREAM : SOCK_DGRAM, 0, ends))
		_exit(3);
	if (ends[0] < 0)
		_exit(3);
	from[i] = ends[0];
	to[i] = ends[1];
}

static void *thread(void *arg)
{
	const int i = (int)(intptr_t)arg;
	struct pollfd p = {from[i], POLLIN, 0};
	uint64_t one;

	if (strcmp(call, "poll") == 0)
		poll(&p, 1, -1);
	else if (strcmp(call, "recv") == 0)
		recv(from[i], &one, sizeof(one), 0);
	else if (read(from[i], &one, sizeof(one)) < 0)
		_exit(3);
	write_to(!i);
	return NULL;
}

int main(int argc, char **argv)
{
	const char *why = argc > 3 ? argv[3] : "";
	pthread_t threads[2];

	if (argc < 3)
		return 2;
	call = argv[2];
	make(argv[1], 0, *why == '/' ? why : NULL);
	make(argv[1], 1, NULL);
	if (strcmp(why, "child") == 0 && fork() == 0) {
		sleep(4);
		write_to(0);
		_exit(0);
	}
	for (intptr_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, thread, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
