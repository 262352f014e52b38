/*
 * no_spurious_wake: a wait without a loop around it, on a condition variable and on a futex, which is right as long as
 * nothing but the signal and the wake end it. POSIX allows more; a supervisor that made it happen would accuse programs
 * of what their system does not do.
 *
 * Answer: silent: what is waited for is there after each wait.
 */
#include "futex.h"
#include "target.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t set = PTHREAD_COND_INITIALIZER;
int flag, others;
static _Atomic int word;

static void *setter(void *arg)
{
	/* signals for nobody, and for another condition, before the right one */
	pthread_mutex_lock(&lock);
	others++;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	flag = 1;
	pthread_cond_signal(&set);
	pthread_mutex_unlock(&lock);
	word = 1;
	futex_wake(&word, 1);
	return arg;
}

int main(void)
{
	pthread_t thread = start(setter, NULL);

	pthread_mutex_lock(&lock);
	if (!flag)
		pthread_cond_wait(&set, &lock);
	if (!flag)
		fail("pthread_cond_wait came back without a signal");
	pthread_mutex_unlock(&lock);
	if (!word)
		futex_wait(&word, 0);
	if (!word)
		fail("a futex wait came back without a wake");
	join(thread);
	puts("set");
	return 0;
}
