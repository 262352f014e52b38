/*
 * order_buffer: a thread writes the text of a report to a descriptor. Another thread frees the text later. Both hold a
 * lock, and nothing makes this order.
 *
 * Answer: failure, no race, no atomicity violation: the text is written after it was freed.
 * Plain and random runs: never fail, because the text is written long before it is freed. Even if it is not, the kernel
 * can still read the block. Twin: the other thread keeps the text until it was written.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "late.h"
#include "target.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_saved, descriptor;

static void *save(void *arg)
{
	pthread_mutex_lock(&lock);
	(void)!write(descriptor, arg, 40);
	is_saved = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *clean(void *arg)
{
	come_late();
	pthread_mutex_lock(&lock);
#ifdef FIXED
	if (is_saved)
#endif
		free(arg);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	char *text = malloc(40);
	pthread_t threads[2];

	descriptor = open("/dev/null", O_WRONLY);
	if (descriptor < 0 || !text)
		fail("no file");
	memset(text, 'x', 40);
	threads[0] = start(save, text);
	threads[1] = start(clean, text);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
