/*
 * Needs much of something, as argv[1] says; argv[2] is how much.
 *
 *   fill MIB      two threads race at `old`, then one writes MIB MiB, then both race at `recent`
 *   sparse GIB    a mapping of GIB GiB, of which both threads use a word in each GiB
 *   threads N     N threads at once, which write to a variable without a lock
 *   maps N        N times: map a page, write to it, remove it
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Memory is forgotten by the MiB, so `old` is far from what is used until the end. */
static struct {
	volatile int old;
	char gap[2 << 20];
	volatile int recent;
} shared;
static long amount;
static char *memory;

static char *map(size_t size)
{
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		exit(3);
	return at;
}

static void *fills(void *arg)
{
	shared.old++;	 /* RACE: old */
	shared.recent++; /* RACE: recent */
	for (long i = 0; i < amount; i++) {
		for (long k = 0; k < 1 << 20; k += 8)
			*(volatile long *)(arg + (i << 20) + k) = k;
		shared.recent++; /* RACE: recent */
	}
	return NULL;
}

static void *waits(void *arg)
{
	shared.old++;	 /* RACE: old */
	shared.recent++; /* RACE: recent */
	return arg;
}

static void *uses_words(void *arg)
{
	for (long i = 0; i < amount; i++)
		*(volatile long *)(memory + (i << 30)) += 1; /* RACE: word */
	return arg;
}

static void *writes(void *arg)
{
	shared.recent++; /* RACE: recent */
	return arg;
}

static void *maps(void *arg)
{
	for (long i = 0; i < amount; i++) {
		char *at = map(4096);

		*(volatile long *)(at + 8 * (i % 512)) = i;
		munmap(at, 4096);
	}
	shared.recent++; /* RACE: recent */
	return arg;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	const int many = strcmp(what, "threads") == 0;
	void *(*first)(void *) = writes, *(*second)(void *) = writes;
	pthread_t *threads;
	long n = 2;

	amount = argc > 2 ? atol(argv[2]) : 0;
	if (strcmp(what, "fill") == 0) {
		memory = map((size_t)amount << 20);
		first = fills;
		second = waits;
	} else if (strcmp(what, "sparse") == 0) {
		memory = map((size_t)amount << 30);
		first = second = uses_words;
	} else if (strcmp(what, "maps") == 0) {
		first = maps;
	} else if (many) {
		n = amount;
	}
	threads = calloc((size_t)n, sizeof(*threads));
	for (long i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, i ? second : first, memory))
			exit(4);
	for (long i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	if (memory)
		munmap(memory, (size_t)amount << (first == fills ? 20 : 30));
	free(threads);
	return 0;
}
