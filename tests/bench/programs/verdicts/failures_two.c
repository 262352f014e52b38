/*
 * Two lost updates in two functions, which one helper reports. With FIXED there is none.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int deposits, withdrawals;

static __attribute__((noinline, noreturn)) void panic(const char *what)
{
	fprintf(stderr, "panic: %s\n", what);
	abort();
}

static void begin(void)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
}

static void end(void)
{
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
}

static __attribute__((noinline)) void deposit(void)
{
	int seen;

	begin();
	seen = deposits;
	deposits = seen + 1;
	if (deposits != seen + 1)
		panic("deposits");
	end();
}

static __attribute__((noinline)) void withdraw(void)
{
	int seen;

	begin();
	seen = withdrawals;
	withdrawals = seen + 1;
	if (withdrawals != seen + 1)
		panic("withdrawals");
	end();
}

static void *works(void *arg)
{
	if (arg)
		deposit();
	else
		withdraw();
	return NULL;
}

int main(void)
{
	pthread_t threads[4];

	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, works, i % 2 ? &lock : NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
