/*
 * Like targets/annotated.c, with the macros of Valgrind's helgrind.h, or of drd.h with -DDRD. Without -DLATE, all is
 * ordered; with -DAGAIN, races of the flag are not benign any more; with -DNVALGRIND, the macros are nothing, so the
 * flag races.
 */
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#ifdef DRD
#include <valgrind/drd.h>
#define CHECK_AGAIN(x) DRD_STOP_IGNORING_VAR(x)
#else
#include <valgrind/helgrind.h>
#define CHECK_AGAIN(x) VALGRIND_HG_ENABLE_CHECKING(&(x), sizeof(x))
#endif

volatile int ready;
int data, late;

static void *produce(void *arg)
{
	data = 42;
#ifndef LATE
	late = 43;
#endif
	ANNOTATE_HAPPENS_BEFORE(&ready);
	ready = 1;
#ifdef LATE
	late = 43;
#endif
	return arg;
}

static void *consume(void *arg)
{
	while (!ready)
		sched_yield();
	ANNOTATE_HAPPENS_AFTER(&ready);
	return data == 42 && late == 43 ? NULL : arg;
}

int main(void)
{
	pthread_t producer, consumer;

	ANNOTATE_BENIGN_RACE_SIZED(&ready, sizeof(ready), "the flag");
#ifdef AGAIN
	CHECK_AGAIN(ready);
#endif
	pthread_create(&consumer, NULL, consume, NULL);
	pthread_create(&producer, NULL, produce, NULL);
	pthread_join(producer, NULL);
	return pthread_join(consumer, NULL);
}
