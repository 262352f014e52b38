/*
 * no_spurious_wake: waits without a loop on a condition variable and on a futex. That is correct if only a signal or a
 * wake ends the wait. POSIX allows spurious wake-ups. But a supervisor that made them would report failures that do not
 * occur on the user's system.
 *
 * Answer: silent. After each wait, the flag or the word is set.
 */
#include "futex.h"
#include "target.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t set = PTHREAD_COND_INITIALIZER;
int flag, others;
static _Atomic int word;

static void *setter(void *arg)
{
	/* before the signal, another change under the mutex, which must not end the wait */
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
