/*
 * gen_latch: a lock of the library's own, whose two steps are not one.
 *
 * Answer: gen_latch_enter() looks whether a thread is inside, and only then goes inside. If two threads look first,
 * both are inside, and the first one that leaves aborts, because the other one is the holder. A thread that leaves
 * without having entered would abort too, so only tests that enter and leave in pairs show it. Twin: looks and goes
 * inside with the mutex held.
 */
#include "gen_latch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct gen_latch {
	pthread_mutex_t lock;
	pthread_cond_t left;
	bool held;
	pthread_t holder;
	char *text;
};

struct gen_latch *gen_latch_new(void)
{
	struct gen_latch *latch = calloc(1, sizeof(*latch));

	if (latch) {
		pthread_mutex_init(&latch->lock, NULL);
		pthread_cond_init(&latch->left, NULL);
	}
	return latch;
}

void gen_latch_free(struct gen_latch *latch)
{
	pthread_cond_destroy(&latch->left);
	pthread_mutex_destroy(&latch->lock);
	free(latch->text);
	free(latch);
}

static void go_inside(struct gen_latch *latch)
{
	latch->held = true;
	latch->holder = pthread_self();
}

void gen_latch_enter(struct gen_latch *latch)
{
	pthread_mutex_lock(&latch->lock);
	while (latch->held)
		pthread_cond_wait(&latch->left, &latch->lock);
#ifdef FIXED
	go_inside(latch);
#endif
	pthread_mutex_unlock(&latch->lock);
#ifndef FIXED
	go_inside(latch);
#endif
}

bool gen_latch_try_enter(struct gen_latch *latch)
{
	bool entered;

	pthread_mutex_lock(&latch->lock);
	entered = !latch->held;
	if (entered)
		go_inside(latch);
	pthread_mutex_unlock(&latch->lock);
	return entered;
}

static bool is_inside(struct gen_latch *latch)
{
	bool inside;

	pthread_mutex_lock(&latch->lock);
	inside = latch->held && pthread_equal(latch->holder, pthread_self());
	pthread_mutex_unlock(&latch->lock);
	return inside;
}

void gen_latch_leave(struct gen_latch *latch)
{
	if (!is_inside(latch))
		abort();
	pthread_mutex_lock(&latch->lock);
	latch->held = false;
	pthread_cond_signal(&latch->left);
	pthread_mutex_unlock(&latch->lock);
}

bool gen_latch_put(struct gen_latch *latch, const char *text)
{
	if (!is_inside(latch))
		return false;
	free(latch->text);
	latch->text = strdup(text);
	return true;
}
