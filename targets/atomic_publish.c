/*
 * atomic_publish: a writer hands over data with a flag that is an ordinary int.
 *
 * Answer: race. The reader may see the flag and not the data, because the flag is set too early.
 * Plain runs: the reader starts late, when all is written.
 * Twin: the flag is set with a release store after the data, and read with an acquire load.
 */
#include "target.h"
#include <stdatomic.h>

struct box {
	int data;
	_Atomic int full;
	int checked;
};

#define CHECK(box) __atomic_load_n(&(box)->checked, __ATOMIC_ACQUIRE)

int ready;
int data;
struct box *box;

static void *writer(void *arg)
{
	(void)arg;
#ifdef FIXED
	data = 42; /* RACE: write */
	__atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
#else
	ready = 1;		 /* RACE: set */
	data = 42;		 /* RACE: write */
#endif
	box->data = 42;
	atomic_store_explicit(&box->full, 1, memory_order_release);
	__atomic_store_n(&box->checked, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void *reader(void *arg)
{
	(void)arg;
#ifdef FIXED
	if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) && data != 42) /* RACE: read */
#else
	if (ready && data != 42) /* RACE: read */
#endif
		fail("read too early");
	if (box->full && box->data != 42)
		fail("box is not full");
	if (CHECK(box) && box->data != 42)
		fail("box is not checked");
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	box = calloc(1, sizeof(*box));
	first = start(writer, NULL);
	second = start_late(reader, NULL, 2);
	join(first);
	join(second);
	free(box);
	return 0;
}
