/*
 * splice_pipes: sendfile (from a file) and vmsplice (from memory) write to a pipe. tee copies the bytes, and splice
 * moves them to a second pipe. Each stage is a separate thread that waits for the stage before it.
 *
 * Answer: silent.
 */
#include "target.h"
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#define SIZE 100000
#define LINE 1000

int first[2], second[2], copy[2];
static char text[2 * SIZE];

/* Sends a file, then memory. Both are larger than the pipe's room. */
static void *feed(void *arg)
{
	int file = memfd_create("text", 0);
	struct iovec piece = {text + SIZE, SIZE};

	if (file < 0 || write(file, text, SIZE) != SIZE || lseek(file, 0, SEEK_SET))
		fail("memfd_create");
	for (size_t done = 0; done < SIZE;) {
		ssize_t n = sendfile(first[1], file, NULL, SIZE - done);

		if (n <= 0)
			fail("sendfile");
		done += (size_t)n;
	}
	while (piece.iov_len) {
		ssize_t n = vmsplice(first[1], &piece, 1, 0);

		if (n <= 0)
			fail("vmsplice");
		piece.iov_base = (char *)piece.iov_base + n;
		piece.iov_len -= (size_t)n;
	}
	close(file);
	close(first[1]);
	return arg;
}

/* Copies the bytes that are in the pipe, then moves exactly these bytes on. */
static void *move(void *arg)
{
	ssize_t n;

	while ((n = tee(first[0], copy[1], SIZE, 0)) > 0)
		while (n > 0) {
			ssize_t moved = splice(first[0], NULL, second[1], NULL, (size_t)n, 0);

			if (moved <= 0)
				fail("splice");
			n -= moved;
		}
	if (n < 0)
		fail("tee");
	close(copy[1]);
	close(second[1]);
	return arg;
}

static void *check(void *arg)
{
	char in[5000];
	size_t done = 0;
	ssize_t n;
	int from = *(int *)arg;

	while ((n = read(from, in, sizeof(in))) > 0) {
		if (memcmp(in, text + done, (size_t)n) != 0)
			fail("other bytes");
		done += (size_t)n;
	}
	if (done != 2 * SIZE)
		fail("too few bytes");
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 2 * SIZE / LINE; i++)
		memset(text + i * LINE, i, LINE);
	if (pipe(first) || pipe(second) || pipe(copy))
		fail("pipe");
	threads[0] = start(feed, NULL);
	threads[1] = start(move, NULL);
	threads[2] = start(check, &copy[0]);
	check(&second[0]);
	for (int i = 0; i < 3; i++)
		join(threads[i]);
	puts("200000 bytes");
	return 0;
}
