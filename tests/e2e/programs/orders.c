/*
 * Programs whose partial orders can be counted by hand. The first argument chooses one:
 *
 *   locks   two threads lock a, then b: 2 * 2 orders
 *   queue   three threads lock the same mutex: 3! orders
 *   own     each of two threads has a lock in a block that it allocates and frees; both use one arena: 1
 *   stacks  each of two threads has a lock on its stack. When both have been joined, a third thread gets the stack of
 *           the first and does the same: 1
 *   posts   two threads post one semaphore. main takes the tokens when both have been joined: 1
 *   adds    two threads add to one number atomically: 2
 *   reads   two threads read one variable: 1 at memory points, whichever is first
 *   meet    three threads meet at a barrier: 1
 *   serial  the same, and the thread that arrives last is treated specially: 3!, the orders of arrival
 *   mixed   one thread writes and two read one variable: 4 at memory points, each read before or after the write
 */
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static sem_t tokens;
static pthread_barrier_t barrier;
static int sum, last;
static volatile int shared;

static void pass(pthread_mutex_t *lock)
{
	pthread_mutex_lock(lock);
	pthread_mutex_unlock(lock);
}

static void *locks(void *arg)
{
	pass(&a);
	pass(&b);
	return arg;
}

static void *queue(void *arg)
{
	pass(&a);
	return arg;
}

static void *own(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_t *lock = malloc(sizeof(*lock));

		pthread_mutex_init(lock, NULL);
		pass(lock);
		free(lock);
	}
	return arg;
}

static void *stacks(void *arg)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	pass(&lock);
	return arg;
}

static void *posts(void *arg)
{
	sem_post(&tokens);
	return arg;
}

static void *adds(void *arg)
{
	__atomic_fetch_add(&sum, 1, __ATOMIC_SEQ_CST);
	return arg;
}

static void *reads(void *arg)
{
	return shared ? NULL : arg;
}

static void *writes(void *arg)
{
	shared = 1;
	return arg;
}

static void *meet(void *arg)
{
	pthread_barrier_wait(&barrier);
	return arg;
}

static void *serial(void *arg)
{
	if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
		last++;
	return arg;
}

static const struct {
	const char *name;
	void *(*body[3])(void *);
} shapes[] = {
	{"locks", {locks, locks}},    {"queue", {queue, queue, queue}},
	{"own", {own, own}},	      {"stacks", {stacks, stacks}},
	{"posts", {posts, posts}},    {"adds", {adds, adds}},
	{"reads", {reads, reads}},    {"mixed", {writes, reads, reads}},
	{"meet", {meet, meet, meet}}, {"serial", {serial, serial, serial}},
};

int main(int argc, char **argv)
{
	pthread_t threads[3];
	int n = 0;

	mallopt(M_ARENA_MAX, 1);
	sem_init(&tokens, 0, 0);
	pthread_barrier_init(&barrier, NULL, 3);
	for (size_t i = 0; argc > 1 && i < sizeof(shapes) / sizeof(*shapes); i++)
		if (strcmp(argv[1], shapes[i].name) == 0)
			while (n < 3 && shapes[i].body[n] &&
			       !pthread_create(&threads[n], NULL, shapes[i].body[n], NULL))
				n++;
	if (n == 0)
		return 2;
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	if (strcmp(argv[1], "stacks") == 0 && !pthread_create(&threads[0], NULL, stacks, NULL))
		pthread_join(threads[0], NULL);
	for (int i = 0; strcmp(argv[1], "posts") == 0 && i < n; i++)
		sem_wait(&tokens);
	return 0;
}
