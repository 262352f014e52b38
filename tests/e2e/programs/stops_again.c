/* Two threads in turns. A debugger stops one where it has no breakpoint, and sets one there while the other runs. */
#include <pthread.h>
#include <unistd.h>

static int first[2], second[2];
static volatile int rounds;

static void __attribute__((noinline)) work(void)
{
	rounds++;
	rounds++;
}

static void __attribute__((noinline)) mark(void)
{
	rounds--;
}

static void *worker(void *unused)
{
	char byte = 0;

	for (int i = 0; i < 3; i++) {
		work();
		if (write(second[1], &byte, 1) != 1 || read(first[0], &byte, 1) != 1)
			break;
	}
	return unused;
}

int main(void)
{
	pthread_t thread;
	char byte = 0;

	if (pipe(first) || pipe(second) || pthread_create(&thread, NULL, worker, NULL))
		return 1;
	for (int i = 0; i < 3; i++) {
		if (read(second[0], &byte, 1) != 1)
			return 1;
		mark();
		if (write(first[1], &byte, 1) != 1)
			return 1;
	}
	pthread_join(thread, NULL);
	return rounds != 3;
}
