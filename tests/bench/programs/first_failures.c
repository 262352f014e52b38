/*
 * first_failures SHAPE [N]: small programs with one bug each, in shapes that are common in tests of concurrency
 *testers.
 *
 *	check N          N - 1 threads write two variables one after the other; one thread checks that it sees both or
 *none two_locks N      N - 1 threads publish under one lock and complete under another; a reader takes the two in the
 *	                 same order and may see the first half only
 *	driver           a driver is stopped: a request checks the flag, and counts itself as active too late
 *	string_buffer    a string is appended to another: its length is read, then its bytes, and it may shrink between
 *	bounded_buffer   a buffer of one place, with `if` around the wait of those who take
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shapes.h"

/* ---- check ---- */

static volatile int left, right;

static void *check_sets(void *arg)
{
	left = 1;
	right = -1;
	return arg;
}

static void *check_looks(void *arg)
{
	int a = left, b = right;

	if (a + b != 0)
		fail("half of it was set");
	return arg;
}

/* ---- two_locks ---- */

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static int published, completed;

static void *locks_write(void *arg)
{
	pthread_mutex_lock(&one);
	published = 1;
	pthread_mutex_unlock(&one);
	pthread_mutex_lock(&two);
	completed = 2;
	pthread_mutex_unlock(&two);
	return arg;
}

static void *locks_read(void *arg)
{
	int p, c;

	pthread_mutex_lock(&one);
	p = published;
	pthread_mutex_unlock(&one);
	if (!p)
		return arg;
	pthread_mutex_lock(&two);
	c = completed;
	pthread_mutex_unlock(&two);
	if (c != p + 1)
		fail("published, but not complete");
	return arg;
}

/* ---- driver ---- */

static pthread_mutex_t io = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t drained = PTHREAD_COND_INITIALIZER;
static volatile bool stopping, stopped;
static int pending = 1; /* the driver itself */

static void finish_request(void)
{
	pthread_mutex_lock(&io);
	if (--pending == 0)
		pthread_cond_signal(&drained);
	pthread_mutex_unlock(&io);
}

static void *driver_serves(void *arg)
{
	if (stopping)
		return arg;
	pthread_mutex_lock(&io);
	pending++;
	pthread_mutex_unlock(&io);
	if (stopped)
		fail("a request is served by a stopped driver");
	finish_request();
	return arg;
}

static void *driver_stops(void *arg)
{
	stopping = true;
	finish_request();
	pthread_mutex_lock(&io);
	while (pending > 0)
		pthread_cond_wait(&drained, &io);
	pthread_mutex_unlock(&io);
	stopped = true;
	return arg;
}

/* ---- string_buffer ---- */

struct buffer {
	pthread_mutex_t lock;
	char text[32];
	size_t n;
};

static struct buffer source = {PTHREAD_MUTEX_INITIALIZER, "twelve bytes", 12};
static struct buffer target = {PTHREAD_MUTEX_INITIALIZER, "", 0};

static size_t buffer_length(struct buffer *b)
{
	size_t n;

	pthread_mutex_lock(&b->lock);
	n = b->n;
	pthread_mutex_unlock(&b->lock);
	return n;
}

static void buffer_get(struct buffer *b, size_t n, char *out)
{
	pthread_mutex_lock(&b->lock);
	if (n > b->n)
		fail("the string has become shorter");
	memcpy(out, b->text, n);
	pthread_mutex_unlock(&b->lock);
}

static void *buffer_appends(void *arg)
{
	size_t n;

	pthread_mutex_lock(&target.lock);
	n = buffer_length(&source);
	buffer_get(&source, n, target.text + target.n);
	target.n += n;
	pthread_mutex_unlock(&target.lock);
	return arg;
}

static void *buffer_clears(void *arg)
{
	pthread_mutex_lock(&source.lock);
	source.n = 0;
	pthread_mutex_unlock(&source.lock);
	return arg;
}

/* ---- bounded_buffer ---- */

static pthread_mutex_t place = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int filled;

static void *buffer_puts(void *arg)
{
	pthread_mutex_lock(&place);
	while (filled == 1)
		pthread_cond_wait(&changed, &place);
	filled++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&place);
	return arg;
}

static void *buffer_takes(void *arg)
{
	pthread_mutex_lock(&place);
	if (filled == 0)
		pthread_cond_wait(&changed, &place);
	if (--filled < 0)
		fail("the buffer was empty");
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&place);
	return arg;
}

int main(int argc, char **argv)
{
	const char *shape = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 2;

	if (strcmp(shape, "check") == 0) {
		start(check_sets, n - 1);
		start(check_looks, 1);
	} else if (strcmp(shape, "two_locks") == 0) {
		start(locks_write, n - 1);
		start(locks_read, 1);
	} else if (strcmp(shape, "driver") == 0) {
		start(driver_serves, 1);
		start(driver_stops, 1);
	} else if (strcmp(shape, "string_buffer") == 0) {
		start(buffer_appends, 1);
		start(buffer_clears, 1);
	} else if (strcmp(shape, "bounded_buffer") == 0) {
		start(buffer_puts, 2);
		start(buffer_takes, 2);
	} else {
		return 2;
	}
	join_started();
	return 0;
}
