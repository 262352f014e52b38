/*
 * c11_threads: uses threads.h: thrd_create and thrd_join; mtx_lock, mtx_trylock and mtx_timedlock; cnd_wait and
 * cnd_signal; call_once; tss_set and tss_get.
 *
 * Answer: silent. Every access is under the mutex or ordered by these calls.
 */
#include "target.h"
#include <threads.h>
#include <time.h>

int items, limit;
mtx_t lock;
cnd_t changed;
once_flag once = ONCE_FLAG_INIT;
tss_t key;

static void set_limit(void)
{
	limit = 3; /* RACE: limit */
}

static int produce(void *arg)
{
	(void)arg;
	call_once(&once, set_limit);
	for (int i = 0; i < limit; i++) {
		mtx_lock(&lock);
		items++; /* RACE: put */
		cnd_signal(&changed);
		mtx_unlock(&lock);
	}
	return 0;
}

static int consume(void *arg)
{
	struct timespec far_off;
	int taken = 0;

	(void)arg;
	call_once(&once, set_limit);
	tss_set(key, &taken);
	while (*(int *)tss_get(key) < limit) {
		timespec_get(&far_off, TIME_UTC);
		far_off.tv_sec += 100;
		if (mtx_trylock(&lock) != thrd_success && mtx_timedlock(&lock, &far_off) != thrd_success)
			fail("mtx_timedlock");
		while (!items)
			cnd_wait(&changed, &lock);
		items--; /* RACE: take */
		taken++;
		mtx_unlock(&lock);
	}
	return taken;
}

int main(void)
{
	thrd_t consumer, producer;
	int taken;

	mtx_init(&lock, mtx_timed);
	cnd_init(&changed);
	tss_create(&key, NULL);
	thrd_create(&consumer, consume, NULL);
	thrd_create(&producer, produce, NULL);
	thrd_join(producer, NULL);
	thrd_join(consumer, &taken);
	printf("%d\n", taken);
	return 0;
}
