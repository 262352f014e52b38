/*
 * A server that a signal stops, as its load driver ends. A worker thread looks at `running` without the lock and then
 * waits for a condition. The main thread clears it and signals, maybe in between: the wake-up is lost.
 *
 * Until then, every other thread sleeps, polls or waits for a client:
 *
 *   poll       the main thread polls with a timeout of a second
 *   sleep      the main thread and a third thread sleep
 *   pipe       the main thread reads from a pipe without a timeout; the handler writes to it
 *   accept     the main thread waits for a client, a third thread polls
 *   ... fixed  the main thread takes the lock
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct server {
	pthread_mutex_t lock;
	pthread_cond_t work;
	atomic_int running;
};

static atomic_int stop;
static int stop_pipe[2];

static void *worker(void *arg)
{
	struct server *server = arg;

	while (server->running) {
		pthread_mutex_lock(&server->lock);
		if (server->running)
			pthread_cond_wait(&server->work, &server->lock);
		pthread_mutex_unlock(&server->lock);
	}
	return NULL;
}

static void *maintainer(void *arg)
{
	while (!atomic_load(&stop))
		usleep(2000);
	return arg;
}

static void handler(int signo)
{
	(void)signo;
	atomic_store(&stop, 1);
	if (write(stop_pipe[1], "", 1) != 1)
		abort();
}

static void wait_for_stop(const char *way)
{
	char byte;

	if (!strcmp(way, "pipe"))
		while (read(stop_pipe[0], &byte, 1) < 0 && errno == EINTR)
			;
	if (!strcmp(way, "accept")) {
		const int fd = socket(AF_INET, SOCK_STREAM, 0);

		if (listen(fd, 1) != 0)
			abort();
		while (!atomic_load(&stop)) {
			struct pollfd fds[] = {{.fd = fd, .events = POLLIN}, {.fd = stop_pipe[0], .events = POLLIN}};

			if (poll(fds, 2, -1) < 0 && errno != EINTR)
				abort();
		}
		close(fd);
	}
	while (!atomic_load(&stop))
		if (!strcmp(way, "poll"))
			poll(NULL, 0, 1000);
		else
			usleep(50000);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "poll";
	const int fixed = argc > 2;
	struct server *server = calloc(1, sizeof(*server));
	pthread_t a, b;

	pthread_mutex_init(&server->lock, NULL);
	pthread_cond_init(&server->work, NULL);
	server->running = 1;
	if (pipe(stop_pipe) != 0)
		abort();
	signal(SIGTERM, handler);
	pthread_create(&a, NULL, worker, server);
	pthread_create(&b, NULL, maintainer, NULL);
	wait_for_stop(way);
	if (fixed)
		pthread_mutex_lock(&server->lock);
	server->running = 0;
	pthread_cond_signal(&server->work);
	if (fixed)
		pthread_mutex_unlock(&server->lock);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	free(server);
	return 0;
}
