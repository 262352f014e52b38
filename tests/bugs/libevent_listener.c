/*
 * libevent_listener.c - one thread disables a listener while the thread of the event loop takes a connection from it.
 * evconnlistener_disable() holds the listener's lock while event_del() waits until the callback has returned, and the
 * caller of the callback waits for that lock.
 *
 * package: libevent-dev
 * link: -levent -levent_pthreads
 * expect: DEADLOCK of 2 threads
 */
#include <arpa/inet.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <event2/thread.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static struct event_base *base;

static void accepted(struct evconnlistener *listener, evutil_socket_t fd, struct sockaddr *from, int length,
		     void *unused)
{
	(void)listener, (void)from, (void)length, (void)unused;
	close(fd);
}

static void *loop(void *unused)
{
	event_base_dispatch(base);
	return unused;
}

int main(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);
	struct evconnlistener *listener;
	pthread_t thread;
	int client;

	evthread_use_pthreads();
	base = event_base_new();
	listener = evconnlistener_new_bind(base, accepted, NULL, LEV_OPT_THREADSAFE | LEV_OPT_CLOSE_ON_FREE, 8,
					   (struct sockaddr *)&address, sizeof(address));
	if (!listener || getsockname(evconnlistener_get_fd(listener), (struct sockaddr *)&address, &length))
		return 2;
	pthread_create(&thread, NULL, loop, NULL);

	client = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(client, (struct sockaddr *)&address, sizeof(address)))
		return 3;
	evconnlistener_disable(listener);
	close(client);

	event_base_loopexit(base, NULL);
	pthread_join(thread, NULL);
	evconnlistener_free(listener);
	event_base_free(base);
	return 0;
}
