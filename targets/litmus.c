/*
 * litmus.c - one litmus test: each argument is a thread, and its letters are what the thread does. "x1" stores 1 in x,
 * "x?" loads x, "F" is mfence, "x+" adds 1 to x in one locked instruction. At the end the program prints what each load
 * found, in order, and x and y:
 *
 *     ./litmus 'x1 y?' 'y1 x?'
 *     0 0 x=1 y=1
 *
 * x86 processors can print "0 0" for these threads, because a store waits in the store buffer while the thread loads.
 * rfsup must print exactly what x86 processors can (tests/e2e/litmus_test.c).
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define THREADS 4
#define LOADS 3

static struct {
	int value;
	char pad[60];
} words[2];
static int found[THREADS][LOADS];

/* The instructions of all threads are these; the compiler makes plain moves of the relaxed accesses. */
static void store(int *word, int value)
{
	__atomic_store_n(word, value, __ATOMIC_RELAXED);
}

static int load(int *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

struct body {
	const char *text;
	int *found;
};

static void *execute(void *arg)
{
	const struct body *body = arg;
	int n = 0, results[LOADS] = {0};

	for (const char *at = body->text; *at; at++) {
		int *word = &words[*at == 'y'].value;

		if (*at == ' ')
			continue;
		if (*at == 'F') {
			__asm__ volatile("mfence" ::: "memory");
			continue;
		}
		at++;
		if (*at == '?')
			results[n++] = load(word);
		else if (*at == '+')
			(void)__atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
		else
			store(word, *at - '0');
	}
	memcpy(body->found, results, sizeof(results));
	return NULL;
}

int main(int argc, char **argv)
{
	struct body bodies[THREADS];
	pthread_t threads[THREADS];
	int n = argc - 1;

	if (n < 1 || n > THREADS)
		return 2;
	for (int t = 0; t < n; t++) {
		bodies[t] = (struct body){argv[t + 1], found[t]};
		pthread_create(&threads[t], NULL, execute, &bodies[t]);
	}
	for (int t = 0; t < n; t++)
		pthread_join(threads[t], NULL);
	for (int t = 0; t < n; t++) {
		int loads = 0;

		for (const char *at = bodies[t].text; *at; at++)
			if (*at == '?')
				printf("%d ", found[t][loads++]);
	}
	printf("x=%d y=%d\n", words[0].value, words[1].value);
	return 0;
}
