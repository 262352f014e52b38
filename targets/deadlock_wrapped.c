/*
 * deadlock_wrapped: two threads acquire two locks in both orders, always through one function. The second thread does
 * so only after the first one has said, in a section of a third lock, that it is done.
 *
 * Answer: a deadlock is predicted and never created, since nothing is known of what the flag means. The report shows
 * the callers of the function, which tell its four calls apart. Plain runs: never fail.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct lock {
	pthread_mutex_t mutex;
	long value;
};

static struct lock *left, *right;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static bool done;

__attribute__((noinline)) static void possess(struct lock *lock)
{
	if (pthread_mutex_lock(&lock->mutex))
		abort();
}

__attribute__((noinline)) static void release(struct lock *lock)
{
	if (pthread_mutex_unlock(&lock->mutex))
		abort();
}

__attribute__((noinline)) static struct lock *make(void)
{
	struct lock *lock = calloc(1, sizeof(*lock));

	pthread_mutex_init(&lock->mutex, NULL);
	return lock;
}

static bool is_done(void)
{
	bool is;

	pthread_mutex_lock(&gate);
	is = done;
	pthread_mutex_unlock(&gate);
	return is;
}

static void *forward(void *arg)
{
	possess(left);
	possess(right);
	left->value++;
	right->value++;
	release(right);
	release(left);
	pthread_mutex_lock(&gate);
	done = true;
	pthread_mutex_unlock(&gate);
	return arg;
}

static void *backward(void *arg)
{
	for (int i = 0; i < 20 && !is_done(); i++)
		;
	if (!is_done())
		return arg;
	possess(right);
	possess(left);
	left->value--;
	right->value--;
	release(left);
	release(right);
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	left = make();
	right = make();
	pthread_create(&threads[0], NULL, forward, NULL);
	pthread_create(&threads[1], NULL, backward, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
