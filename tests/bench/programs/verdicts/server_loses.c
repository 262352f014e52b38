/* The same, but the thread looks at the flag without the mutex, so the last wake-up may be lost. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int pipes[2];
static atomic_int stop;

static void *waits(void *arg)
{
	while (!atomic_load(&stop)) {
		pthread_mutex_lock(&lock);
		pthread_cond_wait(&changed, &lock);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void on_signal(int number)
{
	(void)number;
	if (write(pipes[1], "x", 1) != 1)
		_exit(3);
}

int main(void)
{
	pthread_t thread;
	char c;

	if (pipe(pipes) != 0)
		return 2;
	signal(SIGTERM, on_signal);
	pthread_create(&thread, NULL, waits, NULL);
	while (read(pipes[0], &c, 1) != 1)
		;
	atomic_store(&stop, 1);
	pthread_mutex_lock(&lock);
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
