/*
 * Communicates with itself over a pipe, a socket pair, a local socket, a TCP socket and an eventfd. It has a server
 * thread and two clients. The schedule decides the order of messages.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define CLIENTS 2
#define WORDS 4

static int listener, tube[2], pair[2], event;
static struct sockaddr_in address = {.sin_family = AF_INET};

static void *client(void *arg)
{
	char word[32];
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (connect(fd, (struct sockaddr *)&address, sizeof(address)))
		exit(2);
	for (int i = 0; i < WORDS; i++) {
		snprintf(word, sizeof(word), "c%d-%d ", (int)(intptr_t)arg, i);
		if (send(fd, word, strlen(word), 0) < 0 || write(tube[1], word, strlen(word)) < 0 ||
		    write(pair[1], word, strlen(word)) < 0)
			exit(3);
		eventfd_write(event, 1);
	}
	shutdown(fd, SHUT_WR);
	if (recv(fd, word, sizeof(word), 0) != 2)
		exit(4);
	close(fd);
	return NULL;
}

static void *server(void *arg)
{
	int epoll = epoll_create1(0), open = 0;
	struct epoll_event e = {.events = EPOLLIN, .data.fd = listener};
	char text[256];

	epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &e);
	for (int done = 0; done < CLIENTS;) {
		ssize_t n;

		if (epoll_wait(epoll, &e, 1, -1) != 1)
			exit(5);
		if (e.data.fd == listener) {
			int fd = accept(listener, NULL, NULL);
			struct epoll_event new = {.events = EPOLLIN, .data.fd = fd};

			epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &new);
			printf("client %d\n", open++);
			continue;
		}
		n = read(e.data.fd, text, sizeof(text) - 1);
		text[n > 0 ? n : 0] = '\0';
		printf("server got '%s'\n", text);
		if (n == 0) {
			if (send(e.data.fd, "ok", 2, 0) != 2)
				exit(6);
			close(e.data.fd);
			done++;
		}
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[CLIENTS + 1];
	socklen_t length = sizeof(address);
	char text[1024];
	eventfd_t count;
	ssize_t n;

	listener = socket(AF_INET, SOCK_STREAM, 0);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	event = eventfd(0, 0);
	if (bind(listener, (struct sockaddr *)&address, sizeof(address)) || listen(listener, 5) ||
	    getsockname(listener, (struct sockaddr *)&address, &length) || pipe(tube) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		exit(7);
	pthread_create(&threads[0], NULL, server, NULL);
	for (long i = 0; i < CLIENTS; i++)
		pthread_create(&threads[i + 1], NULL, client, (void *)i);
	for (int left = CLIENTS * WORDS; left > 0; left -= (int)count) {
		eventfd_read(event, &count);
		printf("%d events\n", (int)count);
	}
	for (int i = 0; i <= CLIENTS; i++)
		pthread_join(threads[i], NULL);
	n = read(tube[0], text, sizeof(text) - 1);
	text[n] = '\0';
	printf("tube: %s\n", text);
	n = read(pair[0], text, sizeof(text) - 1);
	text[n] = '\0';
	printf("pair: %s\n", text);
	return argc > 1 ? atoi(argv[1]) : 0;
}
