/*
 * annotated: a thread hands data over to another one with a plain flag, which it annotates: the race of the flag is
 * benign, and what comes before the hand-over happens before what comes after it. One variable is written too late.
 *
 * Answer: the race of the late variable. The flag and the data are silent only because of the annotations.
 * Plain runs: almost never fail, because the late write follows at once.
 * Twin: this variable is written before the hand-over, too.
 */
#include <sched.h>

#include "target.h"

/* What dynamic_annotations.c of many programs has: functions that only tools notice. */
__attribute__((noinline)) void AnnotateHappensBefore(const char *file, int line, const volatile void *address);
__attribute__((noinline)) void AnnotateHappensAfter(const char *file, int line, const volatile void *address);
__attribute__((noinline)) void AnnotateBenignRaceSized(const char *file, int line, const volatile void *address,
						       unsigned long size, const char *text);

void AnnotateHappensBefore(const char *file, int line, const volatile void *address)
{
	__asm__ volatile("# before %0 %1 %2" : : "r"(file), "r"(line), "r"(address) : "memory");
}

void AnnotateHappensAfter(const char *file, int line, const volatile void *address)
{
	__asm__ volatile("nop # after %0 %1 %2" : : "r"(file), "r"(line), "r"(address) : "memory");
}

void AnnotateBenignRaceSized(const char *file, int line, const volatile void *address, unsigned long size,
			     const char *text)
{
	__asm__ volatile("# benign %0 %1 %2 %3 %4" : : "r"(file), "r"(line), "r"(address), "r"(size), "r"(text));
}

volatile int ready;
int data;
int late;

static void *produce(void *arg)
{
	data = 42;
#ifdef FIXED
	late = 43; /* RACE: late-write */
#endif
	AnnotateHappensBefore(__FILE__, __LINE__, &ready);
	ready = 1;
#ifndef FIXED
	late = 43; /* RACE: late-write */
#endif
	return arg;
}

static void *consume(void *arg)
{
	while (!ready)
		sched_yield();
	AnnotateHappensAfter(__FILE__, __LINE__, &ready);
	if (data != 42)
		fail("data");
	if (late != 43) /* RACE: late-read */
		fail("late");
	return arg;
}

int main(void)
{
	pthread_t producer, consumer;

	AnnotateBenignRaceSized(__FILE__, __LINE__, &ready, sizeof(ready), "the flag");
	consumer = start(consume, NULL);
	producer = start(produce, NULL);
	pthread_join(producer, NULL);
	pthread_join(consumer, NULL);
	return 0;
}
