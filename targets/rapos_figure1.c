/*
 * rapos_figure1: figure 1 of Sen, Effective Random Testing of Concurrent Programs (ASE 2007). One operation of the
 * reader depends on the last of the writer's four. With --points memory, simple random scheduling rarely executes all
 * four first. Random partial order sampling often does, because there are only two partial orders.
 *
 * Answer: the pair on x is real and harmful: if the read comes after the write, ERROR aborts.
 * Plain runs: never fail, because the reader ends before the writer begins.
 * Twin: a semaphore makes the writer wait until x was read.
 */
#include "target.h"
#include <semaphore.h>

/* volatile: the compiler must keep all four writes, in this order */
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
