/*
 * rapos_figure1: figure 1 of Sen, Effective Random Testing of Concurrent Programs (ASE 2007): one operation of one
 * thread against four of another, of which only the last has to do with it. With every access a place to switch
 * threads (--points memory) simple random seldom puts the one behind all four; a random partial order is one of two.
 *
 * Answer: the pair on x is real and harmful: ERROR where the read comes after the write.
 * Plain runs: the reader has ended before the writer begins.
 * Twin: a semaphore holds the writer until x was read.
 */
#include "target.h"
#include <semaphore.h>

/* volatile: the four stay four, in this order */
volatile int a, b, c, x;
sem_t x_read;

static void *writer(void *arg)
{
	apart(3);
#ifdef FIXED
	sem_wait(&x_read);
#endif
	a = 1;
	b = 1;
	c = 1;
	x = 1; /* RACE: x-write */
	return arg;
}

static void *reader(void *arg)
{
	if (x == 1) /* RACE: x-read */
		fail("ERROR");
#ifdef FIXED
	sem_post(&x_read);
#endif
	return arg;
}

int main(void)
{
	pthread_t first, second;

	sem_init(&x_read, 0, 0);
	first = start(reader, NULL);
	second = start(writer, NULL);
	join(first);
	join(second);
	puts("done");
	return 0;
}
