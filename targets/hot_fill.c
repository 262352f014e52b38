/*
 * hot_fill: a worker writes each byte of a large buffer, so its statement is executed 10,000 times. A reader does not
 * wait for the worker, and looks at one byte near the end.
 *
 * Answer: the pair fill:look is harmful. Most executions of fill must not stop (--stops-per-run), but the one at the
 * byte of the reader must.
 * Plain runs: almost never fail, because the buffer is filled before the reader begins.
 * Twin: the reader waits until the worker has ended.
 */
#include "target.h"

#define SIZE 10000

static volatile unsigned char buffer[SIZE];

static void *worker(void *arg)
{
	(void)arg;
	for (int i = 0; i < SIZE; i++)
		buffer[i] = (unsigned char)(i % 200 + 1); /* RACE: fill */
	return NULL;
}

static void *reader(void *arg)
{
	(void)arg;
	if (!buffer[SIZE - SIZE / 8]) /* RACE: look */
		fail("the buffer is not filled");
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	first = start(worker, NULL);
#ifdef FIXED
	join(first);
#endif
	second = start_late(reader, NULL, 10);
#ifndef FIXED
	join(first);
#endif
	join(second);
	puts("filled");
	return 0;
}
