/* backwards_waits.c - condition variables, a semaphore, signals to threads, and a recursion, for walks_test.c */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int total, last;
static volatile int handled;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER, empty = PTHREAD_COND_INITIALIZER;
static sem_t done;
static int slot, has;

static void handler(int signo)
{
	handled += signo;
	last = handled;
}

static void put(int value)
{
	pthread_mutex_lock(&lock);
	while (has)
		pthread_cond_wait(&empty, &lock);
	slot = value;
	has = 1;
	pthread_cond_signal(&full);
	pthread_mutex_unlock(&lock);
}

static int take(void)
{
	int value;

	pthread_mutex_lock(&lock);
	while (!has)
		pthread_cond_wait(&full, &lock);
	value = slot;
	has = 0;
	pthread_cond_signal(&empty);
	pthread_mutex_unlock(&lock);
	return value;
}

static int depth(int n)
{
	char text[32];

	if (n == 0)
		return 0;
	snprintf(text, sizeof(text), "%d", n);
	return (int)strlen(text) + depth(n - 1);
}

static void *producer(void *arg)
{
	for (int i = 1; i <= 3; i++)
		put(i * *(int *)arg);
	sem_post(&done);
	return NULL;
}

static void *consumer(void *arg)
{
	(void)arg;
	for (int i = 0; i < 6; i++) {
		total += take();
		if (i == 2)
			raise(SIGUSR2);
	}
	sem_post(&done);
	return NULL;
}

int main(void)
{
	int by[] = {1, 100};
	pthread_t threads[3];
	struct sigaction action = {.sa_handler = handler};

	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	sem_init(&done, 0, 0);
	pthread_create(&threads[0], NULL, producer, &by[0]);
	pthread_create(&threads[1], NULL, producer, &by[1]);
	pthread_create(&threads[2], NULL, consumer, NULL);
	last = depth(12);
	pthread_kill(threads[2], SIGUSR1);
	for (int i = 0; i < 3; i++)
		sem_wait(&done);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	usleep(10);
	printf("%d %d\n", total, last);
	return 0;
}
