/*
 * Objects of the thread library that begin in memory where others were before: on stacks of functions that are called
 * again, in blocks, in functions that the compiler inlines, after a jump out of a function, and as copies. None of them
 * is initialised twice, although few are destroyed.
 */
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <string.h>

#include "target.h"

struct queue {
	pthread_mutex_t mutex;
	sem_t items;
	int n;
};

/* The same memory, from calls at different lines. */
static __attribute__((noinline)) void is_called_again(int which)
{
	pthread_mutex_t mutex;
	sem_t semaphore;

	if (which % 2) {
		pthread_mutex_init(&mutex, NULL);
		sem_init(&semaphore, 0, 1);
	} else {
		sem_init(&semaphore, 0, 2);
		pthread_mutex_init(&mutex, NULL);
	}
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	sem_wait(&semaphore);
	sem_post(&semaphore);
}

/* Another function with other objects. */
static __attribute__((noinline)) void has_others(void)
{
	sem_t semaphores[4];
	pthread_rwlock_t rwlock;

	for (int i = 0; i < 4; i++)
		sem_init(&semaphores[i], 0, 1);
	pthread_rwlock_init(&rwlock, NULL);
	pthread_rwlock_wrlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	for (int i = 0; i < 4; i++)
		sem_wait(&semaphores[i]);
}

static inline __attribute__((always_inline)) void is_inlined(void)
{
	sem_t semaphore;

	sem_init(&semaphore, 0, 1);
	sem_wait(&semaphore);
}

static inline __attribute__((always_inline)) void is_inlined_too(void)
{
	pthread_mutex_t mutex;

	pthread_mutex_init(&mutex, NULL);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

static __attribute__((noinline)) void has_blocks(void)
{
	{
		sem_t semaphore;

		sem_init(&semaphore, 0, 1);
		sem_wait(&semaphore);
	}
	{
		sem_t another;

		sem_init(&another, 0, 1);
		sem_wait(&another);
	}
	for (int i = 0; i < 3; i++) {
		sem_t semaphore;

		sem_init(&semaphore, 0, 1);
		sem_wait(&semaphore);
	}
	is_inlined();
	is_inlined();
	is_inlined_too();
	is_inlined();
}

/* A new semaphore in each round, which another line initialises. */
static __attribute__((noinline)) void alternates(int n)
{
	for (int i = 0; i < n; i++) {
		sem_t semaphore;

		if (i % 2)
			sem_init(&semaphore, 0, 1);
		else
			sem_init(&semaphore, 0, 2);
		sem_wait(&semaphore);
	}
}

static jmp_buf after;

static __attribute__((noinline)) void jumps(int which)
{
	sem_t semaphore;

	if (which % 2)
		sem_init(&semaphore, 0, 1);
	else
		sem_init(&semaphore, 0, 2);
	sem_wait(&semaphore);
	longjmp(after, 1);
}

static __attribute__((noinline)) void is_left_by_jumps(void)
{
	for (volatile int i = 0; i < 4; i++)
		if (setjmp(after) == 0)
			jumps(i);
}

static struct queue new_queue(void)
{
	struct queue queue;

	pthread_mutex_init(&queue.mutex, NULL);
	sem_init(&queue.items, 0, 1);
	queue.n = 1;
	return queue;
}

static __attribute__((noinline)) void copies(void)
{
	struct queue queue = new_queue(), copy;

	memcpy(&copy, &queue, sizeof(copy));
	sem_wait(&copy.items);
	pthread_mutex_lock(&copy.mutex);
	pthread_mutex_unlock(&copy.mutex);
	queue = new_queue();
	sem_wait(&queue.items);
}

static __attribute__((noinline)) void assigns(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, zeros;
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	sem_t semaphore;

	pthread_mutex_lock(&mutex);
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&mutex);
	pthread_mutex_destroy(&mutex);
	mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	memset(&zeros, 0, sizeof(zeros));
	pthread_mutex_lock(&zeros);
	pthread_mutex_unlock(&zeros);
	memset(&semaphore, 0, sizeof(semaphore));
	sem_post(&semaphore);
	sem_wait(&semaphore);
}

static __attribute__((noinline)) void destroys(void)
{
	pthread_barrier_t barrier;
	sem_t semaphore;

	for (unsigned i = 1; i < 4; i++) {
		sem_init(&semaphore, 0, i);
		sem_destroy(&semaphore);
		pthread_barrier_init(&barrier, NULL, 1);
		pthread_barrier_wait(&barrier);
		pthread_barrier_destroy(&barrier);
	}
}

static void all(void)
{
	for (int i = 0; i < 3; i++) {
		is_called_again(i);
		has_others();
		has_blocks();
		alternates(3 + i);
		copies();
		assigns();
		destroys();
	}
}

static void *child(void *arg)
{
	all();
	return arg;
}

int main(void)
{
	pthread_t thread = start(child, NULL);

	all();
	pthread_join(thread, NULL);
	/* the stack of the first thread is used again */
	thread = start(child, NULL);
	is_left_by_jumps();
	is_left_by_jumps();
	pthread_join(thread, NULL);
	return 0;
}
