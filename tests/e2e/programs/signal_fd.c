/*
 * Reads signals from a signalfd, with read, poll and epoll. Also reads the credentials of the other end of a socket.
 * The program itself must be the sender in all cases. Exit status 0: it was.
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define SIGNALS 3

static int signals;

static void *receive(void *arg)
{
	int epoll = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN};
	struct pollfd poll_event = {.fd = signals, .events = POLLIN};
	struct signalfd_siginfo info;

	epoll_ctl(epoll, EPOLL_CTL_ADD, signals, &event);
	for (int i = 0; i < SIGNALS; i++) {
		if (i == 1 && poll(&poll_event, 1, -1) != 1)
			exit(2);
		if (i == 2 && epoll_wait(epoll, &event, 1, -1) != 1)
			exit(3);
		if (read(signals, &info, sizeof(info)) != sizeof(info))
			exit(4);
		printf("signal %u from %u\n", info.ssi_signo, info.ssi_pid);
		if (info.ssi_pid != (unsigned)getpid())
			exit(5);
	}
	return arg;
}

int main(void)
{
	struct ucred other;
	socklen_t size = sizeof(other);
	pthread_t thread;
	sigset_t set;
	int pair[2];

	sigemptyset(&set);
	for (int i = 0; i < SIGNALS; i++)
		sigaddset(&set, SIGRTMIN + i);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signals = signalfd(-1, &set, 0);
	pthread_create(&thread, NULL, receive, NULL);
	for (int i = 0; i < SIGNALS; i++)
		kill(getpid(), SIGRTMIN + i);
	pthread_join(thread, NULL);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || getsockopt(pair[0], SOL_SOCKET, SO_PEERCRED, &other, &size))
		return 6;
	printf("the other end is %d\n", other.pid);
	return other.pid == getpid() ? 0 : 7;
}
