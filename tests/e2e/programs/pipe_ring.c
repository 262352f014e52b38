/*
 * Threads that wait for each other through pipes. The flag `ready`, in a block of the heap, decides who receives first.
 * That a thread reads it too early is a step on the way, and no cause by itself.
 *
 *   (default)   two threads each wait for the other's message before they send their own
 *   RING        three threads send more to the next one than a pipe holds
 *   FORGOTTEN   the control: the producer reads the flag too early and sends nothing; two consumers wait for ever
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SIZE 100000

struct state {
	pthread_mutex_t lock;
	int ready;
};

static struct state *state;
static int ends[3][2];
static char data[SIZE];

static void check(int ok)
{
	if (!ok)
		abort();
}

static void send_all(int i, size_t size)
{
	for (size_t n = 0; n < size;) {
		const ssize_t k = write(ends[i][1], data, size - n);

		check(k > 0);
		n += (size_t)k;
	}
}

static void receive_all(int i, size_t size)
{
	char part[4096];

	for (size_t n = 0; n < size;) {
		const ssize_t k = read(ends[i][0], part, size - n < sizeof(part) ? size - n : sizeof(part));

		check(k > 0);
		n += (size_t)k;
	}
}

static int is_ready(void)
{
	int ready;

	pthread_mutex_lock(&state->lock);
	ready = state->ready;
	pthread_mutex_unlock(&state->lock);
	return ready;
}

static void *opener(void *arg)
{
	pthread_mutex_lock(&state->lock);
	state->ready = 1;
	pthread_mutex_unlock(&state->lock);
#if defined(FORGOTTEN)
	receive_all(0, 1);
#elif defined(RING)
	send_all(0, SIZE);
	receive_all(2, SIZE);
#else
	receive_all(1, 1);
	send_all(0, 1);
#endif
	return arg;
}

static void *asker(void *arg)
{
	const int ready = is_ready();

#if defined(FORGOTTEN)
	if (ready)
		send_all(0, 2);
#elif defined(RING)
	if (ready)
		receive_all(0, SIZE);
	send_all(1, SIZE);
	if (!ready)
		receive_all(0, SIZE);
#else
	if (ready)
		send_all(1, 1);
	receive_all(0, 1);
	if (!ready)
		send_all(1, 1);
#endif
	return arg;
}

static void *third(void *arg)
{
#if defined(FORGOTTEN)
	receive_all(0, 1);
#elif defined(RING)
	send_all(2, SIZE);
	receive_all(1, SIZE);
#endif
	return arg;
}

int main(void)
{
	pthread_t threads[3];

	state = calloc(1, sizeof(*state));
	pthread_mutex_init(&state->lock, NULL);
	for (int i = 0; i < 3; i++)
		check(pipe(ends[i]) == 0);
	pthread_create(&threads[0], NULL, opener, NULL);
	pthread_create(&threads[1], NULL, asker, NULL);
	pthread_create(&threads[2], NULL, third, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	puts("done");
	return 0;
}
