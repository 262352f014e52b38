/*
 * helper_dies.c - two lost updates in two functions. Each ends the program with one helper, whose kind HELPER says:
 * 0: a helper that never returns, 1: one with variable arguments behind another one, 2: an assertion helper, 3: inline.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef HELPER
#define HELPER 0
#endif

static volatile int a, b;

#if HELPER == 0
__attribute__((noinline)) static void fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	abort();
}
#define CHECK(ok, what)                                                                                                \
	if (!(ok))                                                                                                     \
	fail(what)
#elif HELPER == 1
__attribute__((noinline)) static void vfail(const char *format, va_list list)
{
	vfprintf(stderr, format, list);
	abort();
}
__attribute__((noinline, noreturn)) static void fail(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vfail(format, list);
	abort();
}
#define CHECK(ok, what)                                                                                                \
	if (!(ok))                                                                                                     \
	fail("%s\n", what)
#elif HELPER == 2
__attribute__((noinline)) static void check(int ok)
{
	if (!ok)
		abort();
}
#define CHECK(ok, what) check(ok)
#else
__attribute__((always_inline)) static inline void check(int ok)
{
	if (!ok)
		abort();
}
#define CHECK(ok, what) check(ok)
#endif

__attribute__((noinline)) static void first(void)
{
	int p = a;

	a = p + 1;
	CHECK(a == p + 1, "first");
}

__attribute__((noinline)) static void second(void)
{
	int p = b;

	b = p + 1;
	CHECK(b == p + 1, "second");
}

static void *work(void *arg)
{
	if (arg)
		second();
	else
		first();
	return NULL;
}

int main(void)
{
	pthread_t threads[4];

	for (long i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i & 1));
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
