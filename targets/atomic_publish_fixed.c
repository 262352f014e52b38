/*
 * atomic_publish_fixed: a writer hands over data with release stores and acquire loads. Some are builtins of the
 * compiler on a plain int, one is behind a macro, and some access a member of type _Atomic. All are plain `mov`
 * instructions, and no instruction has a lock prefix.
 * Plain runs: the reader starts late, when all is written.
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
	data = 42;				       /* RACE: write */
	__atomic_store_n(&ready, 1, __ATOMIC_RELEASE); /* RACE: set */
	box->data = 42;
	atomic_store_explicit(&box->full, 1, memory_order_release);
	__atomic_store_n(&box->checked, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void *reader(void *arg)
{
	(void)arg;
	if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) && data != 42) /* RACE: read */
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
