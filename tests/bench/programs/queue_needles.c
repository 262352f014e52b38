/*
 * queue_needles SHAPE: programs whose bug is easy, but a campaign has much else to try.
 *
 *	few         two stages under two locks, and two threads that only take these locks
 *	many        the same; the stages also hand over 32 fields under the lock: each field is a predicted pair, and no
 *		    schedule creates it
 *	cycles      the same; before and after the hand-over, 12 pairs of locks are acquired in opposite orders. Each is
 *		    a predicted deadlock, and no schedule creates it
 *	three       two threads add under one lock; a third one fails if it comes last
 *	semaphores  two semaphores, each of a mutex and a condition variable: one thread holds the first and waits for
 *		    the second, which is posted by a thread that may wait for the first
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "shapes.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, second_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- few, many, cycles ---- */

static int first, second;
static bool many, cycles;
static volatile int fields[32], sink;

/* Each field has instructions of its own. */
#define EACH_4(DO, I) DO(I) DO((I) + 1) DO((I) + 2) DO((I) + 3)
#define EACH_16(DO, I) EACH_4(DO, I) EACH_4(DO, (I) + 4) EACH_4(DO, (I) + 8) EACH_4(DO, (I) + 12)
#define FILL(I) fields[I] = (I) + 1;
#define LOOK(I) sink = fields[I];

static void fill_fields(void)
{
	EACH_16(FILL, 0)
	EACH_16(FILL, 16)
}

static void look_at_fields(void)
{
	EACH_16(LOOK, 0)
	EACH_16(LOOK, 16)
}

/* No two pairs share a call, so each is predicted. */
static pthread_mutex_t inner[12], outer[12];
#define EACH_12(DO) EACH_4(DO, 0) EACH_4(DO, 4) EACH_4(DO, 8)
#define TAKE(FIRST, SECOND, I)                                                                                         \
	pthread_mutex_lock(&FIRST[I]);                                                                                 \
	pthread_mutex_lock(&SECOND[I]);                                                                                \
	pthread_mutex_unlock(&SECOND[I]);                                                                              \
	pthread_mutex_unlock(&FIRST[I]);
#define TAKE_OUTER(I) TAKE(outer, inner, I)
#define TAKE_INNER(I) TAKE(inner, outer, I)

static void take_outer_first(void)
{
	EACH_12(TAKE_OUTER)
}

static void take_inner_first(void)
{
	EACH_12(TAKE_INNER)
}

static void *stages_put(void *arg)
{
	int seen;

	if (many)
		fill_fields();
	if (cycles)
		take_outer_first();
	pthread_mutex_lock(&lock);
	first = 1;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&second_lock);
	seen = first;
	second = seen + 1;
	pthread_mutex_unlock(&second_lock);
	return arg;
}

static void *stages_get(void *arg)
{
	int f, s;

	pthread_mutex_lock(&lock);
	f = first;
	pthread_mutex_unlock(&lock);
	if (!f)
		return arg;
	pthread_mutex_lock(&second_lock);
	s = second;
	pthread_mutex_unlock(&second_lock);
	if (many)
		look_at_fields();
	if (cycles)
		take_inner_first();
	if (s != f + 1)
		fail("the second stage is missing");
	return arg;
}

static void *stages_pass(void *arg)
{
	for (int i = 0; i < 6; i++) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&second_lock);
		pthread_mutex_unlock(&second_lock);
	}
	return arg;
}

/* ---- three ---- */

static int sum;

static void add(int n)
{
	pthread_mutex_lock(&lock);
	sum += n;
	pthread_mutex_unlock(&lock);
}

static void *three_adds_one(void *arg)
{
	add(1);
	return arg;
}

static void *three_adds_two(void *arg)
{
	add(2);
	return arg;
}

static void *three_looks(void *arg)
{
	bool both;

	pthread_mutex_lock(&lock);
	both = sum == 3;
	pthread_mutex_unlock(&lock);
	if (both)
		fail("both came first");
	return arg;
}

/* ---- semaphores ---- */

struct semaphore {
	pthread_mutex_t lock;
	pthread_cond_t posted;
	int value, waiters;
};

static struct semaphore statistics = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 1, 0},
			usage = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
static bool wanted, ended;

static void take(struct semaphore *s)
{
	pthread_mutex_lock(&s->lock);
	s->waiters++;
	while (s->value == 0)
		pthread_cond_wait(&s->posted, &s->lock);
	s->waiters--;
	s->value--;
	pthread_mutex_unlock(&s->lock);
}

static void post(struct semaphore *s)
{
	pthread_mutex_lock(&s->lock);
	s->value++;
	if (s->waiters)
		pthread_cond_signal(&s->posted);
	pthread_mutex_unlock(&s->lock);
}

/* Posts the usage if somebody wants it. */
static void answer(void)
{
	bool asked;

	pthread_mutex_lock(&lock);
	asked = wanted;
	wanted = false;
	pthread_mutex_unlock(&lock);
	if (asked)
		post(&usage);
}

static void *semaphores_work(void *arg)
{
	for (int part = 0; part < 3; part++) {
		for (int i = 0; i < 5; i++)
			answer();
		take(&statistics);
		sum++;
		post(&statistics);
	}
	pthread_mutex_lock(&lock);
	ended = true;
	pthread_mutex_unlock(&lock);
	answer();
	return arg;
}

static void semaphores_show(void)
{
	bool asks;

	take(&statistics);
	pthread_mutex_lock(&lock);
	asks = !ended;
	wanted = asks;
	pthread_mutex_unlock(&lock);
	if (asks)
		take(&usage);
	post(&statistics);
}

int main(int argc, char **argv)
{
	const char *shape = argc > 1 ? argv[1] : "";

	many = strcmp(shape, "many") == 0;
	cycles = strcmp(shape, "cycles") == 0;
	if (many || cycles || strcmp(shape, "few") == 0) {
		start(stages_get, 1);
		start(stages_pass, 2);
		start(stages_put, 1);
	} else if (strcmp(shape, "three") == 0) {
		start(three_looks, 1);
		start(three_adds_one, 1);
		start(three_adds_two, 1);
	} else if (strcmp(shape, "semaphores") == 0) {
		start(semaphores_work, 1);
		semaphores_show();
	} else {
		return 2;
	}
	join_started();
	return 0;
}
