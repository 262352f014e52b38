/*
 * not_muted.c - races that look as if they were accesses of atomics or of a lock. The argument says which. The kinds
 * whose names end with "_fixed" have no race.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A lock, and what is beside it: the copy begins at the lock. */
static struct stats {
	int lock, hits;
} stats;
struct stats copy; /* not static, so that the compiler keeps it */

static void hit(void)
{
	while (!__sync_bool_compare_and_swap(&stats.lock, 0, 1))
		sched_yield();
	stats.hits++;
	__sync_lock_release(&stats.lock);
}

static void hit_twice(void)
{
	hit();
	hit();
}

static void take_copy(void)
{
	hit();
	copy = stats; /* a race with the hits of the other thread */
}

/* A plain member with the name of an atomic one. */
typedef struct {
	_Atomic int counter;
} count;

static count references;
static struct object {
	long id;
	int counter;
} object, *volatile pointer = &object;

static void count_both(void)
{
	struct object *at = pointer;

	for (int i = 0; i < 3; i++) {
		at->counter++;
		atomic_fetch_add(&references.counter, 1);
	}
}

static count *volatile counted = &references;

static void count_atomically(void)
{
	count *at = counted;

	atomic_fetch_add(&at->counter, 1);
	if (atomic_load(&at->counter) == 0)
		abort();
}

/* A macro with a name that promises more than it does. */
#define ATOMIC_INC(x) (++(x))
#define COUNT_UP(x) __atomic_fetch_add(&(x), 1, __ATOMIC_SEQ_CST)

static void increment(void)
{
	struct object *at = pointer;

	ATOMIC_INC(at->counter);
}

static void increment_atomically(void)
{
	struct object *at = pointer;

	COUNT_UP(at->counter);
}

static const struct kind {
	const char *name;
	void (*first)(void), (*second)(void);
} kinds[] = {
	{"lock", hit_twice, take_copy},	    {"lock_fixed", hit_twice, hit_twice},
	{"member", count_both, count_both}, {"member_fixed", count_atomically, count_atomically},
	{"macro", increment, increment},    {"macro_fixed", increment_atomically, increment_atomically},
};

static void *run(void *arg)
{
	((const struct kind *)arg)->second();
	return NULL;
}

static void *run_first(void *arg)
{
	((const struct kind *)arg)->first();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t first, second;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (argc > 1 && strcmp(kinds[i].name, argv[1]) == 0) {
			pthread_create(&first, NULL, run_first, (void *)&kinds[i]);
			pthread_create(&second, NULL, run, (void *)&kinds[i]);
			pthread_join(first, NULL);
			pthread_join(second, NULL);
			return 0;
		}
	return 2;
}
