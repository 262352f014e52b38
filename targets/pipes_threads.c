/*
 * pipes_threads: three threads pass a number round through a pipe, a socket pair and an eventfd. They wait with poll,
 * with epoll, and with read alone.
 *
 * Answer: silent. Each thread changes the count before it passes the number on. The messages order these changes: what
 * a thread does before its write happens before what the reader does next.
 */
#include "target.h"
#include <poll.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define ROUNDS 3

int pipe_ends[2], sockets[2], event;
int count;

/* Reads one number of 8 bytes. None of the three kinds of descriptor splits it. */
static uint64_t receive(int descriptor)
{
	uint64_t number;

	if (read(descriptor, &number, sizeof(number)) != sizeof(number))
		fail("read");
	return number;
}

static void send_on(int descriptor, uint64_t number)
{
	count++; /* RACE: increment */
	if (write(descriptor, &number, sizeof(number)) != sizeof(number))
		fail("write");
}

static void *from_pipe(void *arg)
{
	struct pollfd ready = {.fd = pipe_ends[0], .events = POLLIN};

	for (int i = 0; i < ROUNDS; i++) {
		if (poll(&ready, 1, -1) != 1)
			fail("poll");
		send_on(sockets[1], receive(pipe_ends[0]) + 1);
	}
	return arg;
}

static void *from_socket(void *arg)
{
	struct epoll_event interest = {.events = EPOLLIN}, ready;
	int epoll = epoll_create1(0);

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, sockets[0], &interest))
		fail("epoll_ctl");
	for (int i = 0; i < ROUNDS; i++) {
		if (epoll_wait(epoll, &ready, 1, -1) != 1)
			fail("epoll_wait");
		send_on(event, receive(sockets[0]) + 1);
	}
	close(epoll);
	return arg;
}

int main(void)
{
	pthread_t first, second;
	uint64_t number = 1;

	event = eventfd(0, 0);
	if (event < 0 || pipe(pipe_ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		fail("pipe, socketpair or eventfd");
	first = start(from_pipe, NULL);
	second = start(from_socket, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		send_on(pipe_ends[1], number + 1);
		number = receive(event);
	}
	join(first);
	join(second);
	printf("%lu, %d\n", (unsigned long)number, count);
	return number != 1 + 3 * ROUNDS || count != 3 * ROUNDS;
}
