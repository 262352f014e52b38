/*
 * sleepers: only a sleep enforces an order: the reader sleeps 20 ms and assumes that the writer has then written.
 *
 * Answer: the pair write:read is real and harmful: if the writer is delayed for longer than the sleep, the reader finds
 * nothing and aborts.
 * Plain runs: almost never fail, because 20 ms is a hundred times what the writer needs.
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
