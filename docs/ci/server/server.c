/*
 * server.c - a counter of visits on TCP port (argument 1), with a thread for each client. Two clients at the same time
 * may be counted as one, because the counter is read and written without a lock. SIGTERM ends the server; it then fails
 * if the counter is wrong. Compiled with -DFIXED, it uses a lock.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define CLIENTS_MAX 64

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif
static int visits, socket_fd;

static void *serve(void *fd)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
	visits++;
	pthread_mutex_unlock(&lock);
#else
	visits++;
#endif
	dprintf((int)(intptr_t)fd, "hello\n");
	close((int)(intptr_t)fd);
	return NULL;
}

/* Waits for the signal, and ends the waiting for clients. */
static void *end(void *signals)
{
	int signo;

	sigwait(signals, &signo);
	shutdown(socket_fd, SHUT_RDWR);
	return NULL;
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons((uint16_t)atoi(argc > 1 ? argv[1] : "0"))};
	pthread_t threads[CLIENTS_MAX], ending;
	sigset_t signals;
	int yes = 1, n = 0, fd;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	socket_fd = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(socket_fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(socket_fd, (struct sockaddr *)&address, sizeof(address)) || listen(socket_fd, CLIENTS_MAX)) {
		perror("server");
		return 2;
	}
	pthread_create(&ending, NULL, end, &signals);
	while (n < CLIENTS_MAX && (fd = accept(socket_fd, NULL, NULL)) >= 0)
		pthread_create(&threads[n++], NULL, serve, (void *)(intptr_t)fd);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	if (visits == n)
		return 0;
	fprintf(stderr, "%d visits counted, %d clients served\n", visits, n);
	return 1;
}
