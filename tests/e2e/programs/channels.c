/*
 * channels KIND ORDER: one thread sets a number and tells another thread through a channel of this KIND. The other one
 * then reads the number. ORDER "ordered": set before the message. ORDER "late": set after it, which is a race.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int in, out; /* in: the reader's end; out: the writer's end */
static int number;
static volatile int seen;
static const char *kind;
static int late;
static pthread_t reader;

static void must(int good)
{
	if (!good)
		_exit(3);
}

static int is(const char *name)
{
	return strcmp(kind, name) == 0;
}

static void connected(int family, struct sockaddr *address, socklen_t size)
{
	int listener = socket(family, SOCK_STREAM, 0);

	must(bind(listener, address, size) == 0 && listen(listener, 1) == 0);
	must(getsockname(listener, address, &size) == 0);
	out = socket(family, SOCK_STREAM, 0);
	must(connect(out, address, size) == 0);
	in = accept(listener, NULL, NULL);
	must(in >= 0);
}

static void set_up(void)
{
	struct sockaddr_un path = {.sun_family = AF_UNIX};
	struct sockaddr_in loopback = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int ends[2];

	if (is("pipe")) {
		must(pipe(ends) == 0);
	} else if (is("pair") || is("datagram")) {
		must(socketpair(AF_UNIX, is("pair") ? SOCK_STREAM : SOCK_DGRAM, 0, ends) == 0);
	} else if (is("event") || is("epoll")) {
		ends[0] = ends[1] = eventfd(0, 0);
		must(ends[0] >= 0);
	} else if (is("unix")) {
		strcpy(path.sun_path, "channels.socket");
		connected(AF_UNIX, (struct sockaddr *)&path, sizeof(path));
		return;
	} else if (is("tcp")) {
		connected(AF_INET, (struct sockaddr *)&loopback, sizeof(loopback));
		return;
	} else {
		return;
	}
	in = ends[0];
	out = ends[1];
}

static void look(int signo)
{
	(void)signo;
	__atomic_exchange_n(&seen, number, __ATOMIC_SEQ_CST);
}

static void *writer(void *arg)
{
	struct epoll_event interest = {.events = EPOLLOUT};
	uint64_t one = 1;

	if (!late)
		number = 1;
	if (is("kill"))
		pthread_kill(reader, SIGUSR1);
	else if (is("sigwait"))
		kill(getpid(), SIGUSR1);
	else if (is("epoll"))
		must(epoll_ctl(in, EPOLL_CTL_ADD, out, &interest) == 0);
	else
		must(write(out, &one, sizeof(one)) == sizeof(one));
	if (late)
		number = 1;
	return arg;
}

static void *read_it(void *arg)
{
	struct epoll_event ready;
	sigset_t wanted;
	uint64_t got;
	int signo;

	sigemptyset(&wanted);
	sigaddset(&wanted, SIGUSR1);
	if (is("kill")) {
		/* the handler is concurrent with this thread, so that they need an atomic variable */
		while (!__atomic_fetch_add(&seen, 0, __ATOMIC_SEQ_CST))
			usleep(100);
		return arg;
	}
	if (is("sigwait"))
		must(sigwait(&wanted, &signo) == 0);
	else if (is("epoll"))
		must(epoll_wait(in, &ready, 1, -1) == 1);
	else
		must(read(in, &got, sizeof(got)) == sizeof(got));
	look(0);
	return arg;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = look};
	sigset_t blocked;
	pthread_t other;

	must(argc == 3);
	kind = argv[1];
	late = strcmp(argv[2], "late") == 0;
	set_up();
	if (is("epoll"))
		in = epoll_create1(0);
	if (is("kill"))
		sigaction(SIGUSR1, &action, NULL);
	if (is("sigwait")) {
		sigemptyset(&blocked);
		sigaddset(&blocked, SIGUSR1);
		pthread_sigmask(SIG_BLOCK, &blocked, NULL);
	}
	must(pthread_create(&reader, NULL, read_it, NULL) == 0);
	must(pthread_create(&other, NULL, writer, NULL) == 0);
	if (late && is("kill"))
		return pthread_join(other, NULL) != 0;
	return pthread_join(reader, NULL) != 0 || pthread_join(other, NULL) != 0;
}
