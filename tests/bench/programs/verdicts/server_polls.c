/* A server that waits for a signal, while a thread looks for work each millisecond. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int stop;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int looked;

static void *looks(void *arg)
{
	while (!atomic_load(&stop)) {
		pthread_mutex_lock(&lock);
		looked++;
		pthread_mutex_unlock(&lock);
		usleep(1000);
	}
	return arg;
}

static void on_signal(int number)
{
	(void)number;
	atomic_store(&stop, 1);
}

int main(void)
{
	pthread_t thread;

	signal(SIGTERM, on_signal);
	pthread_create(&thread, NULL, looks, NULL);
	while (!atomic_load(&stop))
		poll(NULL, 0, 1000);
	pthread_join(thread, NULL);
	puts("stopped");
	return 0;
}
