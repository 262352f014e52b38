/*
 * A semaphore of a spinning loop, with the requests of drd.h that say so, or of helgrind.h with -DHELGRIND. With
 * -DLATE, a message is written after the post; with -DNVALGRIND, the macros are nothing.
 */
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#ifdef HELGRIND
#include <valgrind/helgrind.h>
#define POST(semaphore) VALGRIND_HG_SEM_POST_PRE(semaphore)
#define WAITED(semaphore) VALGRIND_HG_SEM_WAIT_POST(semaphore)
#else
#include <valgrind/drd.h>
#define POST(semaphore) ANNOTATE_SEM_POST_PRE(semaphore)
#define WAITED(semaphore) ANNOTATE_SEM_WAIT_POST(semaphore)
#endif

static volatile int count;
int data, late;

static void post(void)
{
	POST(&count);
	__asm__ volatile("lock incl %0" : "+m"(count));
}

static void wait(void)
{
	int old;

	do {
		while ((old = count) == 0)
			sched_yield();
	} while (!__sync_bool_compare_and_swap(&count, old, old - 1));
	WAITED(&count);
}

static void *produce(void *arg)
{
	data = 42;
#ifndef LATE
	late = 43;
#endif
	post();
#ifdef LATE
	late = 43;
#endif
	return arg;
}

static void *consume(void *arg)
{
	wait();
	return data == 42 && late == 43 ? NULL : arg;
}

int main(void)
{
	pthread_t producer, consumer;

	pthread_create(&consumer, NULL, consume, NULL);
	pthread_create(&producer, NULL, produce, NULL);
	pthread_join(producer, NULL);
	return pthread_join(consumer, NULL);
}
