/*
 * big_write: writes more than a pipe or a socket has room for. So the write sleeps in the middle until another thread
 * has read. A third thread continues during that time.
 *
 * Answer: silent.
 */
#include "target.h"
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define SIZE 400000
#define PIECE 30000
#define LINE 1000

int pipe_ends[2], sockets[2];
int counter;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char out[2 * SIZE];

static void *count(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		counter++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

/* Writes one half with one call, then the other half in two pieces with writev. */
static void *writer(void *arg)
{
	int to = *(int *)arg;
	struct iovec pieces[2] = {{out + SIZE, SIZE / 2}, {out + SIZE + SIZE / 2, SIZE / 2}};

	if (write(to, out, SIZE) != SIZE || writev(to, pieces, 2) != SIZE)
		fail("write");
	close(to);
	return NULL;
}

static void reader(int from)
{
	static char in[PIECE];
	size_t done = 0;
	ssize_t n;

	while ((n = read(from, in, sizeof(in))) > 0) {
		if (memcmp(in, out + done, (size_t)n) != 0)
			fail("other bytes");
		done += (size_t)n;
	}
	if (done != 2 * SIZE)
		fail("too few bytes");
	close(from);
}

int main(void)
{
	pthread_t counting, writing;

	for (int i = 0; i < 2 * SIZE / LINE; i++)
		memset(out + i * LINE, i, LINE);
	if (pipe(pipe_ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		fail("pipe or socketpair");
	counting = start(count, NULL);
	writing = start(writer, &pipe_ends[1]);
	reader(pipe_ends[0]);
	join(writing);
	writing = start(writer, &sockets[1]);
	reader(sockets[0]);
	join(writing);
	join(counting);
	printf("%d\n", counter);
	return counter != 3;
}
