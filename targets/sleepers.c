/*
 * sleepers: an order that only a sleep enforces: the reader sleeps 20 ms and takes it that the writer is done.
 *
 * Answer: write with read is real and harmful: where the writer is held up for longer than the sleep, the
 * reader finds nothing and aborts.
 * Plain runs: 20 ms are a hundred times what the writer needs; almost never.
 * Twin: the reader joins the writer.
 */
#include "target.h"
#include <unistd.h>

int data;

static void *writer(void *arg)
{
	(void)arg;
	data = 42; /* RACE: write */
	return NULL;
}

int main(void)
{
	pthread_t thread = start(writer, NULL);

#ifdef FIXED
	join(thread);
#endif
	usleep(20000);
	if (data != 42) /* RACE: read */
		fail("read too early");
#ifndef FIXED
	join(thread);
#endif
	puts("42");
	return 0;
}
