/*
 * A server on TCP port (argument 1) with two processes that accept connections from the same socket. Both count
 * requests in memory that they share. Two may read the same number, and one request is lost; the parent notices it when
 * SIGTERM ends the server. FIXED: the count is atomic. EPOLL: the processes wait with epoll_wait(2), on a socket that
 * does not block.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef FIXED
#define FIXED 0
#endif
#ifndef EPOLL
#define EPOLL 0
#endif
#define WORKERS 2

struct shared {
	int requests;
	int own[WORKERS]; /* each process writes to its own one */
};

static void on_term(int signo)
{
	(void)signo;
}

static void count(struct shared *shared, int worker)
{
	if (FIXED)
		__atomic_fetch_add(&shared->requests, 1, __ATOMIC_RELAXED);
	else
		shared->requests = shared->requests + 1;
	shared->own[worker]++;
}

static void answer(int fd, struct shared *shared, int worker)
{
	char line[64];

	while (recv(fd, line, sizeof(line), 0) > 0) {
		count(shared, worker);
		if (send(fd, "done\n", 5, MSG_NOSIGNAL) != 5)
			break;
	}
	close(fd);
}

static void work(int listener, struct shared *shared, int worker)
{
	struct epoll_event event = {.events = EPOLLIN};
	int set = epoll_create1(EPOLL_CLOEXEC), fd;

	if (EPOLL && (fcntl(listener, F_SETFL, O_NONBLOCK) || epoll_ctl(set, EPOLL_CTL_ADD, listener, &event)))
		_exit(3);
	for (;;) {
		if (EPOLL && epoll_wait(set, &event, 1, -1) != 1)
			continue;
		fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0)
			answer(fd, shared, worker);
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons((uint16_t)(argc > 1 ? atoi(argv[1]) : 0))};
	int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
	const struct sigaction action = {.sa_handler = on_term};
	pid_t workers[WORKERS];
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (shared == MAP_FAILED || bind(listener, (struct sockaddr *)&address, sizeof(address)) || listen(listener, 8))
		return 2;
	for (int i = 0; i < WORKERS; i++) {
		workers[i] = fork();
		if (!workers[i])
			work(listener, shared, i);
	}
	sigaction(SIGTERM, &action, NULL);
	pause();
	for (int i = 0; i < WORKERS; i++)
		kill(workers[i], SIGTERM);
	while (wait(NULL) > 0)
		;
	if (shared->requests != shared->own[0] + shared->own[1])
		abort();
	return 0;
}
