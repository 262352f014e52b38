/*
 * sanitized_sum: two threads add to a number, with an instruction that reads and writes it. Built with
 * AddressSanitizer, and with -DFIXED so that a mutex protects the number.
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *adds(void *arg)
{
	(void)arg;
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	sum += 3;
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	return NULL;
}

int main(void)
{
	pthread_t one, two;

	pthread_create(&one, NULL, adds, NULL);
	pthread_create(&two, NULL, adds, NULL);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	pthread_mutex_destroy(&lock);
	return sum == 6 ? 0 : 1;
}
