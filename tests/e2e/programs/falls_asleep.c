/*
 * Two threads protect all their data with locks. One of them holds a lock while it sleeps in io_getevents, a call that
 * rfsup does not schedule.
 */
#include <linux/aio_abi.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NAP 400000000 /* nanoseconds */
#define WORK 30000000

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static aio_context_t context;
static long under_m, under_n[64];
static volatile long work; /* only one thread uses it; each access is recorded */

static void *sleeps(void *arg)
{
	struct timespec nap = {0, NAP};
	struct io_event event;

	pthread_mutex_lock(&n);
	under_n[0]++;
	pthread_mutex_unlock(&n);
	pthread_mutex_lock(&m);
	under_m++;
	syscall(SYS_io_getevents, context, 1, 1, &event, &nap);
	under_m++;
	pthread_mutex_unlock(&m);
	return arg;
}

static void *works(void *arg)
{
	pthread_mutex_lock(&n);
	for (int i = 0; i < 64; i++)
		under_n[i]++;
	pthread_mutex_unlock(&n);
	for (work = 0; work < WORK; work++)
		;
	pthread_mutex_lock(&m);
	under_m++;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	if (syscall(SYS_io_setup, 4, &context))
		return 2;
	pthread_create(&threads[0], NULL, sleeps, NULL);
	pthread_create(&threads[1], NULL, works, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
