/*
 * fifo_open: two threads open the two ends of a FIFO, wait for each other there, and pass numbers through the FIFO.
 * This is done again with O_NONBLOCK, so that the reader does not wait for the writer.
 *
 * Answer: the pair on count is predicted, because a FIFO gives no order to hybrid detection, but cannot be created.
 */
#include "target.h"
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROUNDS 3

static char folder[] = "/tmp/fifo_open.XXXXXX", name[sizeof(folder) + 5];
int count;

static int end(int flags)
{
	int descriptor = open(name, flags);

	if (descriptor < 0)
		fail("open");
	return descriptor;
}

static void *writer(void *arg)
{
	int to = end(O_WRONLY);

	for (uint64_t number = 1; number <= ROUNDS; number++) {
		if (number == 1)
			count++; /* RACE: write */
		if (write(to, &number, sizeof(number)) != sizeof(number))
			fail("write");
	}
	close(to);
	return arg;
}

/* Adds the numbers up to the end of the file, which the writer's close causes. */
static uint64_t sum(int from)
{
	struct pollfd ready = {.fd = from, .events = POLLIN};
	uint64_t number, all = 0;

	while (poll(&ready, 1, -1) == 1 && read(from, &number, sizeof(number)) == sizeof(number))
		all += number;
	close(from);
	return all;
}

int main(void)
{
	pthread_t thread;
	uint64_t all;
	int from;

	if (!mkdtemp(folder) || snprintf(name, sizeof(name), "%s/fifo", folder) < 0 || mkfifo(name, 0600))
		fail("mkfifo");
	thread = start(writer, NULL);
	all = sum(end(O_RDONLY));
	count++; /* RACE: read */
	join(thread);
	from = end(O_RDONLY | O_NONBLOCK);
	thread = start(writer, NULL);
	join(thread);
	all += sum(from);
	unlink(name);
	rmdir(folder);
	printf("%lu, %d\n", (unsigned long)all, count);
	return all != (uint64_t)ROUNDS * (ROUNDS + 1) || count != 3;
}
