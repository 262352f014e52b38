/*
 * hidden_words.c - the program of targets/drfinder_figure2.c with locks that are no pthread locks. The argument says
 * which: `spin` for a spin lock, `futex` for a mutex made of a word and a futex. With `fixed` as second argument, one
 * thread ends before the other begins.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "targets/futex.h"

struct lock {
	_Atomic int word;
};

int x, y, seen_x, seen_y, shared;
static struct lock a, b;
static int spins;
static pthread_t threads[2];
static int fixed;

static __attribute__((noinline)) void lock(struct lock *lock)
{
	int free = 0;

	if (spins) {
		while (atomic_exchange(&lock->word, 1))
			while (atomic_load(&lock->word))
				__builtin_ia32_pause();
		return;
	}
	if (atomic_compare_exchange_strong(&lock->word, &free, 1))
		return;
	while (atomic_exchange(&lock->word, 2) != 0)
		futex_wait(&lock->word, 2);
}

static __attribute__((noinline)) void unlock(struct lock *lock)
{
	if (spins)
		atomic_store_explicit(&lock->word, 0, memory_order_release);
	else if (atomic_exchange(&lock->word, 0) == 2)
		futex_wake(&lock->word, 1);
}

static void *first(void *arg)
{
	x = 1;
	lock(&a);
	shared = 1;
	unlock(&a);
	y = 1;
	return arg;
}

__attribute__((noinline)) static void use_shared(void)
{
	lock(&a);
	shared = 2;
	unlock(&a);
}

static void *second(void *arg)
{
	if (fixed)
		pthread_join(threads[0], NULL);
	seen_y = y;
	for (int i = 0; i < 3; i++) {
		lock(&b);
		unlock(&b);
	}
	use_shared();
	seen_x = x;
	return arg;
}

int main(int argc, char **argv)
{
	spins = argc > 1 && strcmp(argv[1], "spin") == 0;
	fixed = argc > 2;
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	if (!fixed)
		pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	puts("done");
	return 0;
}
