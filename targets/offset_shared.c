/*
 * offset_shared: a thread reads ahead from a file. The main thread lists the file: it looks up the length that is
 * written at its end, with lseek(2) and read(2), on the same descriptor. A block that is read in between comes from
 * another place. After a bug of pigz, whose --list sought in the input while the thread that reads ahead still ran.
 *
 * Answer: race of two system calls on the position of an open file, harmful: lseek(2) and read(2).
 * Plain and random runs: seldom fail, because the file is listed late.
 * Twin: the length is read with pread(2), which has no position.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "target.h"

#define BLOCK 16

static int input;
static char ahead[2][BLOCK];

static void *read_ahead(void *arg)
{
	for (int i = 0; i < 2; i++)
		if (read(input, ahead[i], BLOCK) != BLOCK) /* RACE: read */
			fail("the input is too short");
	return arg;
}

static int length(void)
{
	unsigned char last = 0;

#ifdef FIXED
	if (pread(input, &last, 1, 2 * BLOCK - 1) != 1)
		fail("no length");
#else
	lseek(input, -1, SEEK_END);	/* RACE: seek */
	if (read(input, &last, 1) != 1) /* RACE: look */
		fail("no length");
#endif
	return last;
}

int main(void)
{
	char text[2 * BLOCK];
	pthread_t thread;

	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = sizeof(text);
	input = memfd_create("input", 0);
	if (write(input, text, sizeof(text)) != sizeof(text))
		fail("no input");
	lseek(input, 0, SEEK_SET);
	thread = start(read_ahead, NULL);
	apart(30);
	if (length() != sizeof(text))
		fail("a wrong length");
	pthread_join(thread, NULL);
	if (memcmp(ahead, text, sizeof(text)) != 0)
		fail("the blocks are not those of the input");
	return 0;
}
