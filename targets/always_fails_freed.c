/*
 * always_fails_freed: a decoder frees its input at the first bad byte, while the reader still fills it. The input is
 * bad, so the program ends with status 3 in each run, and says nothing of the use of freed memory.
 *
 * Answer: the pair fill:free is harmful, because it is a use after free. The end of the program is not a finding.
 * Plain runs: end with status 3.
 * Twin: the decoder frees the input after the reader has stopped, and the program ends with status 0.
 */
#include <string.h>

#include "target.h"

enum { PIECE = 16, PIECES = 6 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static char *input;
static int filled, ended, bad;

/* Waits for input behind `at`. How much there is; at: no more comes. */
static int wait_for_input(int at)
{
	int there;

	pthread_mutex_lock(&lock);
	while (filled == at && !ended)
		pthread_cond_wait(&news, &lock);
	there = filled;
	pthread_mutex_unlock(&lock);
	return there;
}

static void stop_reader(void)
{
	pthread_mutex_lock(&lock);
	bad = 1;
#ifdef FIXED
	while (!ended)
		pthread_cond_wait(&news, &lock);
#endif
	pthread_mutex_unlock(&lock);
}

static void *decoder(void *arg)
{
	int at = 0, there;

	(void)arg;
	while ((there = wait_for_input(at)) > at)
		for (; at < there; at++) {
			if (input[at] != '!')
				continue;
#ifdef FIXED
			stop_reader();
#endif
			free(input); /* RACE: free */
#ifndef FIXED
			stop_reader();
#endif
			return NULL;
		}
	return NULL;
}

static int publish(int more, int end)
{
	int stop;

	pthread_mutex_lock(&lock);
	filled += more;
	ended = end;
	stop = bad;
	pthread_cond_signal(&news);
	pthread_mutex_unlock(&lock);
	return stop;
}

int main(void)
{
	int stop = 0;
	pthread_t thread;

	input = malloc(PIECE * PIECES);
	thread = start(decoder, NULL);
	for (int i = 0; i < PIECES && !stop; i++) {
		input[i * PIECE] = i == 1 ? '!' : '.'; /* RACE: fill */
		memset(input + i * PIECE + 1, '.', PIECE - 1);
		stop = publish(PIECE, 0);
	}
	publish(0, 1);
	join(thread);
#ifdef FIXED
	return 0;
#else
	puts("the input is bad");
	return 3;
#endif
}
