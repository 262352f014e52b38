/*
 * A server on TCP port (argument 1), with a thread for each client. It adds each number that it receives to a total
 * without a lock (RACE), and answers with the total. SIGTERM ends it, with status 9 if the total is wrong.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static volatile sig_atomic_t ending;
static volatile long total;
static _Atomic long sum;

static void on_term(int signo)
{
	(void)signo;
	ending = 1;
}

static void *serve(void *arg)
{
	int fd = (int)(intptr_t)arg;
	char line[64];
	ssize_t n;

	while ((n = recv(fd, line, sizeof(line) - 1, 0)) > 0) {
		long number, seen;

		line[n] = '\0';
		number = atol(line);
		sum += number;
		seen = total;
		total = seen + number;
		n = snprintf(line, sizeof(line), "%ld\n", total);
		if (send(fd, line, (size_t)n, MSG_NOSIGNAL) != n)
			break;
	}
	close(fd);
	return NULL;
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons((uint16_t)(argc > 1 ? atoi(argv[1]) : 0))};
	struct sigaction action = {.sa_handler = on_term};
	int listener = socket(AF_INET, SOCK_STREAM, 0), epoll = epoll_create1(0), yes = 1;
	struct epoll_event event = {.events = EPOLLIN};
	sigset_t blocked, before;
	pthread_t threads[64];
	size_t n = 0;

	/* the signal is blocked except while the first thread waits for clients */
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	sigaction(SIGTERM, &action, NULL);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(listener, (struct sockaddr *)&address, sizeof(address)) || listen(listener, 8) ||
	    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event))
		return 2;
	while (!ending) {
		int fd = epoll_pwait(epoll, &event, 1, -1, &before) == 1 ? accept(listener, NULL, NULL) : -1;

		if (fd >= 0 && n < 64)
			pthread_create(&threads[n++], NULL, serve, (void *)(intptr_t)fd);
	}
	for (size_t i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("total %ld of %ld\n", total, (long)sum);
	return total == sum ? 0 : 9;
}
