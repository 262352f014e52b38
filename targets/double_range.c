/*
 * double_range: the two ends of a range are set in one section, but read in two.
 *
 * Answer: failure, no race. Each variable alone is accessed correctly. If the writer comes between the two sections of
 * the reader, the reader has the old start and the new end.
 * Plain runs: almost never fail, because the reader has ended before the writer begins.
 * Twin: the reader reads both in one section.
 */
#include "target.h"

int from, to;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *move(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	from = 10;
	to = 10;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *look(void *arg)
{
	int start, end;

	(void)arg;
	pthread_mutex_lock(&lock);
	start = from;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	end = to;
	pthread_mutex_unlock(&lock);
	if (start != end)
		fail("the range is not empty");
	return NULL;
}

int main(void)
{
	const pthread_t reader = start(look, NULL), writer = start_late(move, NULL, 2);

	join(reader);
	join(writer);
	return 0;
}
