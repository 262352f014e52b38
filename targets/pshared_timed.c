/*
 * pshared_timed.c - a thread waits with a timeout on the monotonic clock at a process-shared condition variable until
 * the main thread tells it to stop, as a thread that prints statistics does.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

struct shared {
	pthread_mutex_t lock;
	pthread_cond_t tick;
	int stop;
};

static void *statistics(void *arg)
{
	struct shared *s = arg;
	struct timespec until;

	pthread_mutex_lock(&s->lock);
	while (!s->stop) {
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec++;
		pthread_cond_timedwait(&s->tick, &s->lock, &until);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

int main(void)
{
	struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t mutex;
	pthread_condattr_t cond;
	pthread_t thread;

	if (s == MAP_FAILED)
		abort();
	pthread_mutexattr_init(&mutex);
	pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
	pthread_condattr_init(&cond);
	pthread_condattr_setpshared(&cond, PTHREAD_PROCESS_SHARED);
	pthread_condattr_setclock(&cond, CLOCK_MONOTONIC);
	pthread_mutex_init(&s->lock, &mutex);
	pthread_cond_init(&s->tick, &cond);
	pthread_create(&thread, NULL, statistics, s);
	pthread_mutex_lock(&s->lock);
	s->stop = 1;
	pthread_cond_signal(&s->tick);
	pthread_mutex_unlock(&s->lock);
	pthread_join(thread, NULL);
	pthread_cond_destroy(&s->tick);
	pthread_mutex_destroy(&s->lock);
	return 0;
}
