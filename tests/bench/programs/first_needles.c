/*
 * first_needles SHAPE [N] [fixed]: programs with one bug each that few schedules show. With `fixed` as the last word,
 * the program is its twin, which has no bug.
 *
 *	check N      N - 1 threads write two variables one after the other; one thread checks that it sees both or none
 *	two_stage N  N threads update data under one lock, then a dependent value under another; a reader takes the two
 *	             locks in the same order and may see the first update only
 *	quicksort    a pool of three threads sorts; who finishes last ends the pool, but does not look whether there is
 *		     work
 *	driver       a driver is stopped while a request is in it: the request counts itself too late
 *	stack        a lock-free stack of nodes; between a look at the head and its exchange, the head comes back (ABA)
 *	port         a port is opened in one call and named in the next; it may be closed between them
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shapes.h"

static bool fixed;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, second_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* Only the twin has this lock. */
static void fixed_lock(void)
{
	if (fixed)
		pthread_mutex_lock(&lock);
}

static void fixed_unlock(void)
{
	if (fixed)
		pthread_mutex_unlock(&lock);
}

/* ---- check ---- */

static volatile int left, right;

static void *check_sets(void *arg)
{
	fixed_lock();
	left = 1;
	right = -1;
	fixed_unlock();
	return arg;
}

static void *check_looks(void *arg)
{
	int sum;

	fixed_lock();
	sum = left;
	sum += right;
	fixed_unlock();
	if (sum != 0)
		fail("half of it was set");
	return arg;
}

/* ---- two_stage ---- */

static int data, dependent;

static void *stage_writes(void *arg)
{
	pthread_mutex_lock(&lock);
	data = 1;
	if (!fixed)
		pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&second_lock);
	dependent = 2;
	pthread_mutex_unlock(&second_lock);
	if (fixed)
		pthread_mutex_unlock(&lock);
	return arg;
}

static void *stage_reads(void *arg)
{
	int d, e;

	pthread_mutex_lock(&lock);
	d = data;
	pthread_mutex_unlock(&lock);
	if (!d)
		return arg;
	pthread_mutex_lock(&second_lock);
	e = dependent;
	pthread_mutex_unlock(&second_lock);
	if (e != d + 1)
		fail("the second stage is missing");
	return arg;
}

/* ---- quicksort ---- */

#define NUMBERS 12

struct range {
	int from, to; /* to is not in it */
};

static int numbers[NUMBERS] = {7, 2, 9, 4, 11, 1, 8, 3, 10, 5, 0, 6};
static struct range ranges[NUMBERS] = {{0, NUMBERS}};
static int n_ranges = 1, working;
static bool sorted;

/* Puts smaller numbers before larger ones. Returns the place of the number between them. */
static int partition(struct range range)
{
	int pivot = numbers[range.from], at = range.from;

	for (int i = range.from + 1; i < range.to; i++) {
		if (numbers[i] < pivot) {
			int smaller = numbers[i];

			numbers[i] = numbers[++at];
			numbers[at] = smaller;
		}
	}
	numbers[range.from] = numbers[at];
	numbers[at] = pivot;
	return at;
}

static void sort_range(struct range range)
{
	while (range.to - range.from > 1) {
		int middle = partition(range);

		if (range.to - middle > 2) {
			pthread_mutex_lock(&lock);
			ranges[n_ranges++] = (struct range){middle + 1, range.to};
			pthread_cond_signal(&changed);
			pthread_mutex_unlock(&lock);
		}
		range.to = middle;
	}
}

static bool take_range(struct range *range)
{
	bool any;

	pthread_mutex_lock(&lock);
	any = n_ranges > 0;
	if (any) {
		*range = ranges[--n_ranges];
		working++;
	}
	pthread_mutex_unlock(&lock);
	return any;
}

/* Waits for work. False: everything is sorted. */
static bool await_range(void)
{
	bool more;

	pthread_mutex_lock(&lock);
	more = !sorted;
	if (!fixed) {
		/* what was looked at may be over before the thread waits */
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&lock);
		if (more)
			pthread_cond_wait(&changed, &lock);
	}
	while (fixed && !sorted && n_ranges == 0)
		pthread_cond_wait(&changed, &lock);
	more = !sorted;
	pthread_mutex_unlock(&lock);
	return more;
}

static void end_range(void)
{
	pthread_mutex_lock(&lock);
	if (--working == 0 && n_ranges == 0) {
		sorted = true;
		pthread_cond_broadcast(&changed);
	}
	pthread_mutex_unlock(&lock);
}

static void *quicksort_works(void *arg)
{
	struct range range;

	do {
		while (take_range(&range)) {
			sort_range(range);
			end_range();
		}
	} while (await_range());
	return arg;
}

static void quicksort_ends(void)
{
	for (int i = 0; i < NUMBERS; i++)
		if (numbers[i] != i)
			fail("the numbers are not sorted");
}

/* ---- driver ---- */

static volatile bool stopping, stopped;
static int pending = 1; /* the driver itself */

static void finish_request(void)
{
	pthread_mutex_lock(&lock);
	if (--pending == 0)
		pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

static bool begin_request(void)
{
	bool begun = false;

	fixed_lock();
	if (!stopping) {
		if (!fixed)
			pthread_mutex_lock(&lock);
		pending++;
		begun = true;
		if (!fixed)
			pthread_mutex_unlock(&lock);
	}
	fixed_unlock();
	return begun;
}

static void *driver_serves(void *arg)
{
	if (!begin_request())
		return arg;
	if (stopped)
		fail("a request is served by a stopped driver");
	finish_request();
	return arg;
}

static void *driver_stops(void *arg)
{
	fixed_lock();
	stopping = true;
	fixed_unlock();
	finish_request();
	pthread_mutex_lock(&lock);
	while (pending > 0)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	stopped = true;
	return arg;
}

/* ---- stack ---- */

#define NODES 3
#define NOBODY 0xffu

/* The head: a node in the low byte; above it a version, which only the twin changes. */
static _Atomic unsigned head;
static _Atomic unsigned next[NODES];
static atomic_int taken[NODES];

static unsigned new_head(unsigned old, unsigned node)
{
	return ((old & ~0xffu) + (fixed ? 0x100u : 0)) | node;
}

static unsigned stack_pop(void)
{
	unsigned old = atomic_load(&head);

	while ((old & 0xff) != NOBODY) {
		unsigned after = atomic_load(&next[old & 0xff]);

		if (atomic_compare_exchange_strong(&head, &old, new_head(old, after)))
			break;
	}
	return old & 0xff;
}

static void stack_push(unsigned node)
{
	unsigned old = atomic_load(&head);

	do
		atomic_store(&next[node], old & 0xff);
	while (!atomic_compare_exchange_strong(&head, &old, new_head(old, node)));
}

static void take(unsigned node)
{
	if (node != NOBODY && atomic_fetch_add(&taken[node], 1) != 0)
		fail("two threads have one node");
}

static void *stack_uses(void *arg)
{
	for (int i = 0; i < 2; i++) {
		unsigned node = stack_pop();

		take(node);
		if (node == NOBODY)
			continue;
		atomic_fetch_sub(&taken[node], 1);
		stack_push(node);
	}
	return arg;
}

static void *stack_keeps(void *arg)
{
	unsigned a = stack_pop(), b;

	take(a);
	b = stack_pop();
	take(b);
	if (a != NOBODY) {
		atomic_fetch_sub(&taken[a], 1);
		stack_push(a);
	}
	take(stack_pop());
	return arg;
}

static void stack_begins(void)
{
	atomic_store(&head, NOBODY);
	for (unsigned i = NODES; i-- > 0;)
		stack_push(i);
}

/* ---- port ---- */

static struct port {
	bool open;
	int users; /* only in the twin */
	char name[8];
} ports[2];

/* Opens a port. In the twin, the caller is its user until it has named it. */
static struct port *port_open(void)
{
	struct port *port;

	pthread_mutex_lock(&lock);
	port = &ports[ports[0].open];
	port->open = true;
	port->users = fixed;
	pthread_mutex_unlock(&lock);
	return port;
}

static void port_name(struct port *port, const char *name)
{
	pthread_mutex_lock(&lock);
	if (!port->open)
		fail("a closed port gets a name");
	strcpy(port->name, name);
	port->users = 0;
	pthread_mutex_unlock(&lock);
}

static void *port_uses(void *arg)
{
	port_name(port_open(), "a");
	return arg;
}

static void *port_closes(void *arg)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&lock);
		if (ports[i].open && ports[i].users == 0)
			ports[i].open = false;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

/* ---- all ---- */

int main(int argc, char **argv)
{
	const char *shape = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 2;

	fixed = strcmp(argv[argc - 1], "fixed") == 0;
	if (strcmp(shape, "check") == 0) {
		start(check_sets, n - 1);
		start(check_looks, 1);
	} else if (strcmp(shape, "two_stage") == 0) {
		start(stage_writes, n);
		start(stage_reads, 1);
	} else if (strcmp(shape, "quicksort") == 0) {
		start(quicksort_works, 3);
	} else if (strcmp(shape, "driver") == 0) {
		start(driver_serves, 1);
		start(driver_stops, 1);
	} else if (strcmp(shape, "stack") == 0) {
		stack_begins();
		start(stack_uses, 1);
		start(stack_keeps, 1);
	} else if (strcmp(shape, "port") == 0) {
		start(port_uses, 1);
		start(port_closes, 1);
	} else {
		return 2;
	}
	join_started();
	if (strcmp(shape, "quicksort") == 0)
		quicksort_ends();
	return 0;
}
