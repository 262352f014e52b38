/*
 * gen_ok_counters: counters that are C11 atomics.
 *
 * Answer: nothing is found.
 */
#include "gen_ok_counters.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

#define CLASSES 33

struct gen_statistics {
	atomic_size_t n;
	atomic_long sum;
	atomic_int largest;
	atomic_size_t classes[CLASSES];
};

struct gen_statistics *gen_statistics_new(void)
{
	struct gen_statistics *statistics = calloc(1, sizeof(*statistics));

	if (statistics)
		atomic_init(&statistics->largest, INT_MIN);
	return statistics;
}

void gen_statistics_free(struct gen_statistics *statistics)
{
	free(statistics);
}

static unsigned class_of(int number)
{
	return number < 1 ? 0 : 32 - (unsigned)__builtin_clz((unsigned)number);
}

void gen_statistics_add(struct gen_statistics *statistics, int number)
{
	int largest = atomic_load_explicit(&statistics->largest, memory_order_relaxed);

	while (number > largest && !atomic_compare_exchange_weak(&statistics->largest, &largest, number))
		;
	atomic_fetch_add_explicit(&statistics->sum, number, memory_order_relaxed);
	atomic_fetch_add(&statistics->classes[class_of(number)], 1);
	atomic_fetch_add(&statistics->n, 1);
}

size_t gen_statistics_count(const struct gen_statistics *statistics)
{
	return atomic_load(&statistics->n);
}

long gen_statistics_sum(const struct gen_statistics *statistics)
{
	return atomic_load(&statistics->sum);
}

int gen_statistics_largest(const struct gen_statistics *statistics)
{
	return atomic_load(&statistics->largest);
}

size_t gen_statistics_in_class(const struct gen_statistics *statistics, unsigned i)
{
	return i < CLASSES ? atomic_load(&statistics->classes[i]) : 0;
}

size_t gen_statistics_take_count(struct gen_statistics *statistics)
{
	return atomic_exchange(&statistics->n, 0);
}
