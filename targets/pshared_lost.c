/*
 * pshared_lost.c - two threads of one process wait for each other with a process-shared mutex and condition variable
 * in shared memory. The waiter looks at the flag, releases the mutex, and then waits: the signal can be lost. In the
 * fixed twin it looks and waits in one section.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifndef FIXED
#define FIXED 0
#endif

struct shared {
	pthread_mutex_t lock;
	pthread_cond_t set;
	int ready;
};

static void *setter(void *arg)
{
	struct shared *s = arg;

	pthread_mutex_lock(&s->lock);
	s->ready = 1;
	pthread_cond_signal(&s->set);
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

int main(void)
{
	struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t mutex;
	pthread_condattr_t cond;
	pthread_t thread;
	int seen;

	if (s == MAP_FAILED)
		abort();
	pthread_mutexattr_init(&mutex);
	pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
	pthread_condattr_init(&cond);
	pthread_condattr_setpshared(&cond, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&s->lock, &mutex);
	pthread_cond_init(&s->set, &cond);
	pthread_create(&thread, NULL, setter, s);
	pthread_mutex_lock(&s->lock);
	seen = s->ready;
	if (!FIXED) {
		pthread_mutex_unlock(&s->lock);
		pthread_mutex_lock(&s->lock);
	}
	if (!seen)
		pthread_cond_wait(&s->set, &s->lock);
	pthread_mutex_unlock(&s->lock);
	pthread_join(thread, NULL);
	return 0;
}
