/*
 * listed_while_read: a compressor lists a file. A thread reads the blocks that the main thread asks for. When the main
 * thread takes the first block, which has the head, it asks for the next one. Then it seeks to the trailer and reads
 * it, on the same descriptor. If the other thread reads its block in between, nothing is left of the trailer. After a
 * bug of pigz, whose version 2.4 says "fix a concurrent read bug in --list operation".
 *
 * Answer: race of two system calls on the position of an open file, harmful: lseek(2) and read(2). Atomicity
 * violation of the main thread's two calls, harmful.
 * Plain and random runs: seldom fail, because the block has been read when the main thread seeks.
 * Twin: the main thread waits for the block before it seeks.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "target.h"

#define BLOCK 32
#define TRAILER 8

static int input;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static enum { IDLE, WANTED, OVER } state;
static char block[2][BLOCK];
static ssize_t length[2];
static int which;

/* Waits until the thread has nothing to do, and then asks for the next thing. */
static void ask(int next, int block_number)
{
	pthread_mutex_lock(&lock);
	while (state != IDLE)
		pthread_cond_wait(&changed, &lock);
	which = block_number;
	state = next;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void *read_ahead(void *arg)
{
	int number;

	for (;;) {
		pthread_mutex_lock(&lock);
		while (state == IDLE)
			pthread_cond_wait(&changed, &lock);
		number = state == WANTED ? which : -1;
		pthread_mutex_unlock(&lock);
		if (number < 0)
			return arg;
		length[number] = read(input, block[number], BLOCK); /* RACE: read */
		pthread_mutex_lock(&lock);
		state = IDLE;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
	}
}

int main(void)
{
	unsigned char trailer[TRAILER] = {0}, text[2 * BLOCK + TRAILER] = {0x1f, 0x8b};
	pthread_t thread;

	text[sizeof(text) - 1] = 2 * BLOCK;
	input = memfd_create("input", 0);
	if (write(input, text, sizeof(text)) != sizeof(text))
		fail("no input");
	lseek(input, 0, SEEK_SET);
	thread = start(read_ahead, NULL);
	ask(WANTED, 0);
	ask(WANTED, 1);
	if (length[0] != BLOCK || memcmp(block[0], "\x1f\x8b", 2) != 0)
		fail("not compressed");
	apart(30);
#ifdef FIXED
	ask(IDLE, 0);
#endif
	lseek(input, -TRAILER, SEEK_END);	      /* RACE: seek */
	if (read(input, trailer, TRAILER) != TRAILER) /* RACE: look */
		fail("no trailer");
	printf("%d bytes\n", trailer[TRAILER - 1]);
	ask(OVER, 0);
	pthread_join(thread, NULL);
	return 0;
}
