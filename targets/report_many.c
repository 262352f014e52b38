/*
 * report_many: 40 counters, each with a function. Two threads add to each of them once, without a lock. The second
 * thread adds to the even ones only, so the odd ones are changed by one thread. A third thread that is joined before
 * the second one begins has added to them, too.
 *
 * Answer: the even counters race. For those who report all 40, the odd ones are ordered.
 * Twin: the counters are atomic.
 */
#include "target.h"

enum { COUNTERS = 40 };
int counters[COUNTERS];

#ifdef FIXED
#define ADD(i) __atomic_fetch_add(&counters[i], 1, __ATOMIC_SEQ_CST)
#else
#define ADD(i) ((*(volatile int *)&counters[i])++)
#endif

#define ONE(t, u)                                                                                                      \
	__attribute__((noinline)) static void add_##t##u(void)                                                         \
	{                                                                                                              \
		ADD(10 * (t) + (u));                                                                                   \
	}
#define TEN(t) ONE(t, 0) ONE(t, 1) ONE(t, 2) ONE(t, 3) ONE(t, 4) ONE(t, 5) ONE(t, 6) ONE(t, 7) ONE(t, 8) ONE(t, 9)
TEN(0)
TEN(1)
TEN(2)
TEN(3)

#define EACH(t)                                                                                                        \
	add_##t##0, add_##t##1, add_##t##2, add_##t##3, add_##t##4, add_##t##5, add_##t##6, add_##t##7, add_##t##8,    \
		add_##t##9
static void (*const adders[COUNTERS])(void) = {EACH(0), EACH(1), EACH(2), EACH(3)};

static void *add_all(void *arg)
{
	for (int i = 0; i < COUNTERS; i++)
		adders[i]();
	return arg;
}

static void *add_even(void *arg)
{
	for (int i = 0; i < COUNTERS; i += 2)
		adders[i]();
	return arg;
}

int main(void)
{
	pthread_t first, second;

	join(start(add_all, NULL));
	first = start(add_all, NULL);
	second = start(add_even, NULL);
	join(first);
	join(second);
	puts("done");
	return 0;
}
