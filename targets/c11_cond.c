/*
 * c11_cond: two threads wait on a C11 condition variable until cnd_broadcast wakes both. main's cnd_timedwait, on a
 * condition variable that is never signalled, times out.
 *
 * Answer: silent.
 */
#include "target.h"
#include <threads.h>
#include <time.h>

static mtx_t lock;
static cnd_t told, never;
int go, seen;

static int wait_for_go(void *arg)
{
	(void)arg;
	mtx_lock(&lock);
	while (!go)
		cnd_wait(&told, &lock);
	seen++;
	mtx_unlock(&lock);
	return 0;
}

int main(void)
{
	struct timespec at;
	thrd_t threads[2];
	int result;

	if (mtx_init(&lock, mtx_plain) != thrd_success || cnd_init(&told) != thrd_success ||
	    cnd_init(&never) != thrd_success)
		fail("init");
	for (int i = 0; i < 2; i++)
		if (thrd_create(&threads[i], wait_for_go, NULL) != thrd_success)
			fail("thrd_create");
	timespec_get(&at, TIME_UTC);
	at.tv_sec += at.tv_nsec >= 998000000;
	at.tv_nsec = (at.tv_nsec + 2000000) % 1000000000;
	mtx_lock(&lock);
	result = cnd_timedwait(&never, &lock, &at);
	if (result != thrd_timedout)
		fail("cnd_timedwait");
	go = 1;
	cnd_broadcast(&told);
	mtx_unlock(&lock);
	for (int i = 0; i < 2; i++)
		thrd_join(threads[i], NULL);
	printf("%d\n", seen);
	return seen != 2;
}
