/*
 * Never ends, because two threads wait for clients that never connect. With an argument, main does not wait for them: it
 * computes for ever.
 */
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned long count;

static int listener(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	listen(fd, 5);
	return fd;
}

static void *accepts(void *arg)
{
	int fd = listener();

	pthread_mutex_lock(&mutex);
	accept(fd, NULL, NULL); /* ACCEPT */
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *locks(void *arg)
{
	usleep(1000);
	pthread_mutex_lock(&mutex); /* LOCK */
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *polls(void *arg)
{
	struct pollfd client = {.fd = listener(), .events = POLLIN};

	poll(&client, 1, -1); /* POLL */
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[3];

	(void)argv;
	pthread_create(&threads[0], NULL, accepts, NULL);
	pthread_create(&threads[1], NULL, locks, NULL);
	pthread_create(&threads[2], NULL, polls, NULL);
	while (argc > 1)
		count++;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
