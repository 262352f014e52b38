/*
 * Two threads add to a counter without a lock, in a function that others call: thread 1 through quiet(), thread 2
 * through quiet() or, with an argument, through loud(). With the argument "harm", the program aborts if an addition is
 * lost.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static volatile int counter;
static const char *how = "";

__attribute__((noinline)) static void add(void)
{
	counter = counter + 1;
	__asm__ volatile("");
}

__attribute__((noinline)) static void quiet(void)
{
	add();
	__asm__ volatile("");
}

__attribute__((noinline)) static void loud(void)
{
	add();
	__asm__ volatile("nop"); /* otherwise the compiler makes one function of both */
}

static void *first(void *arg)
{
	quiet();
	return arg;
}

static void *second(void *arg)
{
	if (strcmp(how, "loud") == 0)
		loud();
	else
		quiet();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	how = argc > 1 ? argv[1] : "";
	if (pthread_create(&threads[0], NULL, first, NULL) || pthread_create(&threads[1], NULL, second, NULL))
		return 2;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	if (strcmp(how, "harm") == 0 && counter != 2)
		abort();
	return 0;
}
