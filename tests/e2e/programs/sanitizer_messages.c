/*
 * Each of three threads notes that it was the last one. If the first or second one is the last, main makes an error
 * that a sanitizer sees: AddressSanitizer or, with UNDEFINED, UndefinedBehaviorSanitizer.
 */
#include <pthread.h>
#include <stdlib.h>

static volatile int *volatile block;
static volatile int big = 2147483647;
static int last;

static void *body(void *arg)
{
	__atomic_store_n(&last, (int)(size_t)arg, __ATOMIC_SEQ_CST);
	return NULL;
}

static __attribute__((noinline)) void after_first(void)
{
#ifdef UNDEFINED
	big = big + 1;
#else
	big = block[10];
#endif
}

static __attribute__((noinline)) void after_second(void)
{
#ifdef UNDEFINED
	big = 1 << (big & 63);
#else
	free((void *)block);
	big = *block;
#endif
}

int main(void)
{
	pthread_t threads[3];

	block = malloc(40);
	for (size_t i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, body, (void *)(i + 1));
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	if (last == 1)
		after_first();
	if (last == 2)
		after_second();
	return 0;
}
