/*
 * ports [STATUS]: communicates with itself over sockets whose ports the kernel picks. It connects by the ports that it
 * sees, and prints them. Exit status STATUS (0 by default), or 2 if a port is wrong.
 * ports FILE serve: writes its port to the file and answers one client. Runs until SIGTERM ends it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int wrong;

static void expect(int condition, const char *what)
{
	printf("%s: %s\n", what, condition ? "yes" : strerror(errno));
	wrong |= !condition;
}

static struct sockaddr_in at_port(int port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

typedef int asker(int, struct sockaddr *, socklen_t *);

static int asked(asker *ask, int fd)
{
	struct sockaddr_in address = {0};
	socklen_t size = sizeof(address);

	return ask(fd, (struct sockaddr *)&address, &size) == 0 ? ntohs(address.sin_port) : -1;
}

static int tcp(void)
{
	return socket(AF_INET, SOCK_STREAM, 0);
}

static int bound_to(int fd, int port)
{
	struct sockaddr_in address = at_port(port);

	return bind(fd, (struct sockaddr *)&address, sizeof(address));
}

static int connected_to(int fd, int port)
{
	struct sockaddr_in address = at_port(port);
	int result = connect(fd, (struct sockaddr *)&address, sizeof(address));

	/* the address that the program passed was not changed */
	expect(ntohs(address.sin_port) == port, "unchanged");
	return result;
}

static void *call(void *port)
{
	int fd = tcp();

	expect(connected_to(fd, *(int *)port) == 0, "connect");
	printf("caller %d called %d\n", asked(getsockname, fd), asked(getpeername, fd));
	expect(write(fd, "x", 1) == 1, "write");
	return (void *)(intptr_t)fd;
}

static void streams(void)
{
	struct sockaddr_in from;
	socklen_t size = sizeof(from);
	int listener = tcp(), other = tcp(), port, fd, again;
	pthread_t thread;
	void *caller;
	char byte;

	expect(bound_to(listener, 0) == 0 && listen(listener, 4) == 0, "listen");
	port = asked(getsockname, listener);
	pthread_create(&thread, NULL, call, &port);
	fd = accept(listener, (struct sockaddr *)&from, &size);
	pthread_join(thread, &caller);
	expect(fd >= 0 && read(fd, &byte, 1) == 1, "accept");
	printf("listener %d accepted %d from %d\n", port, asked(getsockname, fd), ntohs(from.sin_port));
	expect(asked(getpeername, fd) == ntohs(from.sin_port), "the same caller");
	expect(asked(getsockname, (int)(intptr_t)caller) == ntohs(from.sin_port), "the same port");
	close((int)(intptr_t)caller);
	close(fd);
	close(listener);
	/* the port is free now; then a socket asks for exactly this port */
	expect(connected_to(other, port) != 0 && errno == ECONNREFUSED, "nobody");
	close(other);
	again = tcp();
	expect(setsockopt(again, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int)) == 0 && bound_to(again, port) == 0 &&
		       listen(again, 4) == 0 && asked(getsockname, again) == port,
	       "the port again");
	pthread_create(&thread, NULL, call, &port);
	pthread_join(thread, &caller);
	close((int)(intptr_t)caller);
	close(again);
	/* a socket that was never bound */
	again = tcp();
	expect(listen(again, 4) == 0, "unbound");
	printf("unbound %d\n", asked(getsockname, again));
	close(again);
}

static void datagrams(void)
{
	int a = socket(AF_INET, SOCK_DGRAM, 0), b = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in to, from = {0};
	socklen_t size = sizeof(from);
	char text[8], more[2][8];
	struct iovec data = {"answer", 7}, into[2] = {{more[0], 8}, {more[1], 8}};
	struct mmsghdr both[2] = {{.msg_hdr = {.msg_name = &from, .msg_iov = &data, .msg_iovlen = 1}}},
		       came[2] = {{.msg_hdr = {.msg_iov = &into[0], .msg_iovlen = 1}},
				  {.msg_hdr = {.msg_iov = &into[1], .msg_iovlen = 1}}};
	struct sockaddr_in sender = {0};

	expect(bound_to(a, 0) == 0, "bind");
	to = at_port(asked(getsockname, a));
	expect(sendto(b, "hello", 6, 0, (struct sockaddr *)&to, sizeof(to)) == 6, "sendto");
	expect(recvfrom(a, text, sizeof(text), 0, (struct sockaddr *)&from, &size) == 6, "recvfrom");
	printf("from %d to %d\n", ntohs(from.sin_port), asked(getsockname, a));
	expect(asked(getsockname, b) == ntohs(from.sin_port), "the sender's");
	both[0].msg_hdr.msg_namelen = size;
	both[1] = both[0];
	expect(sendmsg(a, &both[0].msg_hdr, 0) == 7, "sendmsg");
	expect(sendmmsg(a, both, 2, 0) == 2, "sendmmsg");
	came[0].msg_hdr.msg_name = &sender;
	came[0].msg_hdr.msg_namelen = sizeof(sender);
	expect(recvmsg(b, &came[0].msg_hdr, 0) == 7 && sender.sin_port == to.sin_port, "recvmsg");
	sender.sin_port = 0;
	came[0].msg_hdr.msg_namelen = sizeof(sender);
	expect(recvmmsg(b, came, 2, MSG_DONTWAIT, NULL) == 2 && sender.sin_port == to.sin_port, "recvmmsg");
	expect(connect(a, (struct sockaddr *)&from, size) == 0 && send(a, "more", 5, 0) == 5, "connect");
	expect(recv(b, text, sizeof(text), 0) == 5, "recv");
	close(a);
	close(b);
}

/* A child process can also connect to the port. */
static void children(void)
{
	int listener = tcp(), port, status = 1;
	pid_t pid;

	expect(bound_to(listener, 0) == 0 && listen(listener, 4) == 0, "listen");
	port = asked(getsockname, listener);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		struct sockaddr_in address = at_port(port);
		int fd = tcp();

		_exit(connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0 || asked(getpeername, fd) != port);
	}
	expect(waitpid(pid, &status, 0) == pid && status == 0, "child");
	close(listener);
}

static void *serve(void *name)
{
	int listener = tcp(), fd;
	char line[64];
	FILE *file;
	ssize_t n;

	if (bound_to(listener, 0) != 0 || listen(listener, 4) != 0)
		exit(1);
	file = fopen(name, "w");
	if (!file || fprintf(file, "%d\n", asked(getsockname, listener)) < 0 || fclose(file) != 0)
		exit(1);
	fd = accept(listener, NULL, NULL);
	n = recv(fd, line, sizeof(line), 0);
	if (n <= 0 || send(fd, line, (size_t)n, 0) != n)
		exit(1);
	for (;;)
		pause();
	return NULL;
}

static void *all(void *arg)
{
	streams();
	datagrams();
	children();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, argc > 2 ? serve : all, argv[1]) != 0)
		return 1;
	pthread_join(thread, NULL);
	return wrong ? 2 : argc == 2 ? atoi(argv[1]) : 0;
}
