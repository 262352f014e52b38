/*
 * delayed.c - a delayed store must not come back after its thread has stored there again. Prints "done".
 *
 *     ./delayed frames    stores to variables of a frame that ends, whose memory calls then use for their own frames
 *     ./delayed alone     the thread fills the memory again after all other threads have ended
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 5

static volatile long shared;
static volatile char filled[16];

static void __attribute__((noipa)) set(volatile long *to, long value)
{
	*to = value;
}

static void __attribute__((noipa)) use_frame(long value)
{
	volatile long variables[4];

	for (int i = 0; i < 4; i++)
		set(&variables[i], value + i);
}

/* The return addresses are where the variables were. */
static long __attribute__((noipa)) call(long depth)
{
	const long before = shared, below = depth ? call(depth - 1) : 0;

	return before + below + shared;
}

static void *frames(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		set(&shared, i);
		use_frame(i);
		call(4);
	}
	return arg;
}

static void *alone(void *arg)
{
	for (int i = 0; i < 6 * ROUNDS; i++) {
		volatile char *to = filled;
		size_t n = sizeof(filled);

		filled[3] = (char)(i + 1);
		call(0);
		__asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(0) : "memory");
		call(0);
		if (filled[3] != 0)
			abort();
	}
	puts("done");
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	if (argc > 1 && strcmp(argv[1], "alone") == 0) {
		pthread_create(&threads[0], NULL, alone, NULL);
		shared = 1;
		shared = 2;
		pthread_exit(NULL);
	}
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, frames, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	puts("done");
	return 0;
}
