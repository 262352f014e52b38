/*
 * loopback_select.c - two threads with a TCP connection between them wait with select(2) and epoll(7) until the other
 * one sends.
 */
#include <netinet/in.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];

static void *selects(void *arg)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	if (select(ends[0] + 1, &set, NULL, NULL, NULL) == 1 && write(ends[0], "x", 1) != 1)
		return NULL;
	return arg;
}

static void *polls(void *arg)
{
	struct epoll_event event = {.events = EPOLLIN};
	int epoll = epoll_create1(0);

	epoll_ctl(epoll, EPOLL_CTL_ADD, ends[1], &event);
	if (epoll_wait(epoll, &event, 1, -1) == 1 && write(ends[1], "x", 1) != 1)
		return NULL;
	return arg;
}

static int connected(void)
{
	struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(name);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	if (bind(listener, (struct sockaddr *)&name, size) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&name, &size))
		return 0;
	ends[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(ends[0], (struct sockaddr *)&name, size))
		return 0;
	ends[1] = accept(listener, NULL, NULL);
	close(listener);
	return ends[1] >= 0;
}

int main(void)
{
	pthread_t threads[2];

	if (!connected())
		return 1;
	pthread_create(&threads[0], NULL, selects, NULL);
	pthread_create(&threads[1], NULL, polls, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
