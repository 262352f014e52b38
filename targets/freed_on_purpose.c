/*
 * freed_on_purpose: a thread writes into a block in a section, another thread frees the block in a later one and then
 * looks at it: a comparison of stale contents, as some programs with an allocator of their own do. A third thread looks
 * too.
 *
 * Answer: silent: the program does so in each run, and never fails.
 */
#include "late.h"
#include "target.h"

struct item {
	long links[4];
	long mark;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct item *item;

__attribute__((noinline)) static long look(const volatile struct item *at)
{
	return at->mark;
}

static void *mark(void *arg)
{
	pthread_mutex_lock(&lock);
	(void)look(arg);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *drop(void *arg)
{
	come_late();
	pthread_mutex_lock(&lock);
	free(item);
	(void)look(arg);
	pthread_mutex_unlock(&lock);
	mark(arg);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	item = calloc(1, sizeof(*item));
	threads[0] = start(mark, item);
	threads[1] = start(drop, item);
	pthread_join(threads[1], NULL);
	threads[2] = start(mark, item);
	pthread_join(threads[0], NULL);
	pthread_join(threads[2], NULL);
	return 0;
}
