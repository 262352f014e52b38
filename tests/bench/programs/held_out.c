/*
 * held_out SHAPE: small programs with one bug each. They were written before the policy delay, to see whether it helps
 * in general. After the first measurement, one of its rules was changed: a thread is also delayed between two nested
 * locks, and before a plain read at a pair. So they are no independent test of this rule.
 *
 *	pool         a pool is stopped with one signal, but two workers wait
 *	cached       an entry is looked up under the lock, and used after another thread has replaced and cleared it
 *	stack        a lock-free stack: between a pop's look and its exchange, the head is popped and pushed again
 *	handshake    each of two threads looks at the other's flag before it sets its own
 *	forks        three threads, each takes its own fork and then its neighbour's: all may wait
 *	early_post   a semaphore says that a result is there, but is posted before the result is stored
 */
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "shapes.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* ---- pool ---- */

static bool stopping;
static int jobs = 1;

static void *pool_works(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!stopping) {
		if (jobs > 0)
			jobs--;
		else
			pthread_cond_wait(&changed, &lock);
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *pool_stops(void *arg)
{
	pthread_mutex_lock(&lock);
	stopping = true;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return arg;
}

/* ---- cached ---- */

struct entry {
	volatile int value;
};

static struct entry entries[2] = {{1}, {1}};
static struct entry *current = &entries[0];

static void *cached_reads(void *arg)
{
	struct entry *entry;

	pthread_mutex_lock(&lock);
	entry = current;
	pthread_mutex_unlock(&lock);
	if (entry->value == 0)
		fail("the entry is cleared already");
	return arg;
}

static void *cached_replaces(void *arg)
{
	struct entry *old;

	pthread_mutex_lock(&lock);
	old = current;
	current = &entries[1];
	pthread_mutex_unlock(&lock);
	old->value = 0;
	return arg;
}

/* ---- stack ---- */

struct node {
	_Atomic(struct node *) next;
	atomic_bool popped;
};

static struct node nodes[3];
static _Atomic(struct node *) head;

static struct node *stack_pop(void)
{
	struct node *first = atomic_load(&head);

	while (first && !atomic_compare_exchange_strong(&head, &first, atomic_load(&first->next)))
		;
	return first;
}

static void stack_push(struct node *node)
{
	struct node *first = atomic_load(&head);

	do
		atomic_store(&node->next, first);
	while (!atomic_compare_exchange_strong(&head, &first, node));
}

static void *stack_pops(void *arg)
{
	for (int i = 0; i < 2; i++) {
		struct node *node = stack_pop();

		if (node && atomic_exchange(&node->popped, true))
			fail("a node was popped twice");
	}
	return arg;
}

static void *stack_returns(void *arg)
{
	struct node *a = stack_pop(), *b = stack_pop();

	if (b && atomic_exchange(&b->popped, true))
		fail("a node was popped twice");
	if (a)
		stack_push(a);
	return arg;
}

/* ---- handshake ---- */

static atomic_bool wants[2];
static atomic_int inside;

static void *handshake_enters(void *arg)
{
	int me = *(int *)arg;

	if (atomic_load(&wants[!me]))
		return NULL;
	atomic_store(&wants[me], true);
	if (atomic_fetch_add(&inside, 1) != 0)
		fail("both are inside");
	atomic_fetch_sub(&inside, 1);
	atomic_store(&wants[me], false);
	return NULL;
}

/* ---- forks ---- */

static pthread_mutex_t forks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *forks_eats(void *arg)
{
	int me = *(int *)arg;

	pthread_mutex_lock(&forks[me]);
	pthread_mutex_lock(&forks[(me + 1) % 3]);
	pthread_mutex_unlock(&forks[(me + 1) % 3]);
	pthread_mutex_unlock(&forks[me]);
	return NULL;
}

/* ---- early_post ---- */

static sem_t ready;
static pthread_mutex_t result_lock = PTHREAD_MUTEX_INITIALIZER;
static int result;

static void *post_computes(void *arg)
{
	sem_post(&ready);
	pthread_mutex_lock(&result_lock);
	result = 42;
	pthread_mutex_unlock(&result_lock);
	return arg;
}

static void *post_reads(void *arg)
{
	sem_wait(&ready);
	pthread_mutex_lock(&result_lock);
	if (result != 42)
		fail("the result is not there");
	pthread_mutex_unlock(&result_lock);
	return arg;
}

static const struct shape shapes[] = {
	{"pool", {pool_stops, pool_works, pool_works}},	 {"cached", {cached_reads, cached_replaces}},
	{"stack", {stack_pops, stack_returns}},		 {"handshake", {handshake_enters, handshake_enters}},
	{"forks", {forks_eats, forks_eats, forks_eats}}, {"early_post", {post_computes, post_reads}},
};

int main(int argc, char **argv)
{
	sem_init(&ready, 0, 0);
	for (int i = 2; i >= 0; i--)
		stack_push(&nodes[i]);
	return run_shape(shapes, sizeof(shapes) / sizeof(*shapes), argc > 1 ? argv[1] : "");
}
