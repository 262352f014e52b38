/*
 * version_wraps: a reader copies two values in two critical sections, and takes the copy if the version did not change.
 * The version has six bits, so after 64 updates between the two sections it is the same again.
 *
 * Answer: failure, no race. One preemption is enough, but all 64 updates must come there, which random orders do not
 * show. Plain runs: the reader has ended before the writer begins. Twin: the version does not wrap.
 */
#include "target.h"

#define UPDATES 64
#define COPIES 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long version, left, right;

static unsigned long next_version(void)
{
#ifdef FIXED
	return version + 1;
#else
	return (version + 1) % 64;
#endif
}

static void *copies(void *arg)
{
	for (int i = 0; i < COPIES; i++) {
		unsigned long before, copied_left, copied_right;
		int valid;

		pthread_mutex_lock(&lock);
		before = version;
		copied_left = left;
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&lock);
		copied_right = right;
		valid = version == before;
		pthread_mutex_unlock(&lock);
		if (valid && copied_left != copied_right)
			fail("the copy is torn");
	}
	return arg;
}

static void *updates(void *arg)
{
	for (int i = 0; i < UPDATES; i++) {
		pthread_mutex_lock(&lock);
		version = next_version();
		left++;
		right++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t reader = start(copies, NULL), writer = start_late(updates, NULL, 2);

	join(reader);
	join(writer);
	return 0;
}
