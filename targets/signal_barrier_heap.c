/*
 * signal_barrier_heap.c - two workers meet at a barrier on the heap while main sends them signals, with a handler that
 * restarts calls. The main thread frees the barrier when it has left it.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

static void on_signal(int number)
{
	(void)number;
}

static void *worker(void *arg)
{
	pthread_barrier_wait(arg);
	pthread_barrier_wait(arg);
	return NULL;
}

int main(void)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	pthread_barrier_t *barrier = malloc(sizeof(*barrier));
	pthread_t threads[2];

	sigaction(SIGUSR2, &action, NULL);
	pthread_barrier_init(barrier, NULL, 3);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, barrier);
	pthread_kill(threads[0], SIGUSR2);
	pthread_barrier_wait(barrier);
	pthread_kill(threads[1], SIGUSR2);
	pthread_kill(threads[0], SIGUSR2);
	pthread_barrier_wait(barrier);
	pthread_barrier_destroy(barrier);
	free(barrier);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
