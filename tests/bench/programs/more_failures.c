/*
 * more_failures SHAPE: small programs with one bug each, beside those of first_failures. No goals are set for them, but
 * the sampler atom was chosen among three variants with their figures in sight.
 *
 *	audit     money moves between two accounts, each with a lock; an auditor adds both up, one lock after the other
 *	insert    a key is looked up under a read lock, and inserted under a write lock without looking again
 *	latch     the waiting thread looks at a flag without the lock, so it may sleep after the only signal
 *	lazy      an object is published before it is filled; those who see it do not take the lock
 *	handover  three threads pass a token on; the second one takes it without looking if it is there
 *	reuse     a thread checks the owner of a slot and uses the slot; in between, another thread frees and takes it
 */
#include <stdbool.h>

#include "shapes.h"

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER, second_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* ---- audit ---- */

static int first_account = 50, second_account = 50;

static void *audit_moves(void *arg)
{
	pthread_mutex_lock(&first_lock);
	first_account -= 10;
	pthread_mutex_unlock(&first_lock);
	pthread_mutex_lock(&second_lock);
	second_account += 10;
	pthread_mutex_unlock(&second_lock);
	return arg;
}

static void *audit_adds(void *arg)
{
	int sum;

	pthread_mutex_lock(&second_lock);
	sum = second_account;
	pthread_mutex_unlock(&second_lock);
	pthread_mutex_lock(&first_lock);
	sum += first_account;
	pthread_mutex_unlock(&first_lock);
	if (sum != 100)
		fail("money is missing");
	return arg;
}

/* ---- insert ---- */

static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static int keys[8], n_keys;

static bool has_key(int key)
{
	for (int i = 0; i < n_keys; i++)
		if (keys[i] == key)
			return true;
	return false;
}

static void *insert_key(void *arg)
{
	int times = 0;
	bool has;

	pthread_rwlock_rdlock(&table_lock);
	has = has_key(7);
	pthread_rwlock_unlock(&table_lock);
	if (has)
		return arg;
	pthread_rwlock_wrlock(&table_lock);
	keys[n_keys++] = 7;
	for (int i = 0; i < n_keys; i++)
		times += keys[i] == 7;
	pthread_rwlock_unlock(&table_lock);
	if (times > 1)
		fail("a key is there twice");
	return arg;
}

/* ---- latch ---- */

static volatile bool opened;

static void *latch_opens(void *arg)
{
	opened = true;
	pthread_mutex_lock(&first_lock);
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&first_lock);
	return arg;
}

static void *latch_waits(void *arg)
{
	if (!opened) {
		pthread_mutex_lock(&first_lock);
		pthread_cond_wait(&changed, &first_lock);
		pthread_mutex_unlock(&first_lock);
	}
	return arg;
}

/* ---- lazy ---- */

struct settings {
	volatile int level, limit;
};

static struct settings memory;
static struct settings *volatile published;

static void *lazy_gets(void *arg)
{
	struct settings *seen = published;

	if (!seen) {
		pthread_mutex_lock(&first_lock);
		if (!published) {
			published = &memory;
			memory.level = 3;
			memory.limit = 9;
		}
		pthread_mutex_unlock(&first_lock);
		seen = published;
	}
	if (seen->limit != 9)
		fail("the settings are not filled");
	return arg;
}

/* ---- handover ---- */

static int stage;

static void *hands_first(void *arg)
{
	pthread_mutex_lock(&first_lock);
	stage = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&first_lock);
	return arg;
}

static void *hands_second(void *arg)
{
	pthread_mutex_lock(&first_lock);
	if (stage < 1)
		pthread_cond_wait(&changed, &first_lock);
	if (stage != 1)
		fail("the token has gone past");
	stage = 2;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&first_lock);
	return arg;
}

static void *hands_third(void *arg)
{
	pthread_mutex_lock(&first_lock);
	if (stage == 1)
		stage = 3;
	pthread_mutex_unlock(&first_lock);
	return arg;
}

/* ---- reuse ---- */

static int owner = 1, value = 1;

static void *reuse_uses(void *arg)
{
	bool mine;

	pthread_mutex_lock(&first_lock);
	mine = owner == 1;
	pthread_mutex_unlock(&first_lock);
	if (!mine)
		return arg;
	pthread_mutex_lock(&first_lock);
	if (value != 1)
		fail("the slot belongs to another");
	pthread_mutex_unlock(&first_lock);
	return arg;
}

static void *reuse_frees(void *arg)
{
	pthread_mutex_lock(&first_lock);
	owner = 0;
	pthread_mutex_unlock(&first_lock);
	return arg;
}

static void *reuse_takes(void *arg)
{
	pthread_mutex_lock(&first_lock);
	if (owner == 0) {
		owner = 2;
		value = 2;
	}
	pthread_mutex_unlock(&first_lock);
	return arg;
}

static const struct shape shapes[] = {
	{"audit", {audit_moves, audit_adds}},
	{"insert", {insert_key, insert_key}},
	{"latch", {latch_opens, latch_waits}},
	{"lazy", {lazy_gets, lazy_gets, lazy_gets}},
	{"handover", {hands_first, hands_second, hands_third}},
	{"reuse", {reuse_uses, reuse_frees, reuse_takes}},
};

int main(int argc, char **argv)
{
	return run_shape(shapes, sizeof(shapes) / sizeof(*shapes), argc > 1 ? argv[1] : "");
}
