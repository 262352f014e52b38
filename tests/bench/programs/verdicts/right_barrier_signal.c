/* Signals meet threads at a barrier, which go on after the handler. */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static pthread_barrier_t barrier;

static void on_signal(int number)
{
	(void)number;
}

static void *meets(void *arg)
{
	for (int i = 0; i < 2; i++)
		pthread_barrier_wait(&barrier);
	return arg;
}

int main(void)
{
	struct sigaction action = {.sa_handler = on_signal};
	pthread_t threads[2];

	sigaction(SIGUSR1, &action, NULL);
	pthread_barrier_init(&barrier, NULL, 3);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, meets, NULL);
	for (int i = 0; i < 2; i++) {
		pthread_kill(threads[i], SIGUSR1);
		pthread_barrier_wait(&barrier);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&barrier);
	return 0;
}
