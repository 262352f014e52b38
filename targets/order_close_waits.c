/*
 * order_close_waits: threads close descriptors that other threads have used, in three ways which make the order: a
 * condition variable, a message in a pipe, and the end of the thread.
 *
 * Answer: silent. No order violation is predicted.
 */
#include <unistd.h>

#include "late.h"
#include "target.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static int pipes[3][2], is_done;

static void *work(void *arg)
{
	char byte = 'x';

	if (write(pipes[0][1], &byte, 1) != 1 || write(pipes[1][1], &byte, 1) != 1 || write(pipes[2][1], &byte, 1) != 1)
		fail("write");
	pthread_mutex_lock(&lock);
	is_done = 1;
	pthread_cond_signal(&done);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *clean(void *arg)
{
	char byte;

	if (read(pipes[1][0], &byte, 1) != 1)
		fail("read");
	close(pipes[1][1]);
	pthread_mutex_lock(&lock);
	while (!is_done)
		pthread_cond_wait(&done, &lock);
	pthread_mutex_unlock(&lock);
	close(pipes[0][1]);
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 3; i++)
		if (pipe(pipes[i]))
			fail("pipe");
	threads[0] = start(clean, NULL);
	threads[1] = start(work, NULL);
	pthread_join(threads[1], NULL);
	close(pipes[2][1]);
	pthread_join(threads[0], NULL);
	return 0;
}
