/* scoped.c - four races: on alpha and on beta in two functions, and on the two members of stats in an inlined one. */
#include <pthread.h>
#include <stdio.h>

static int alpha, beta;
static struct {
	int hits, misses;
} stats;

static inline __attribute__((always_inline)) void bump(int *p)
{
	++*p;
}

static void *worker(void *arg)
{
	alpha = 1;
	beta = 2;
	bump(&stats.hits);
	return arg;
}

static void look_at_alpha(void)
{
	if (alpha == 1)
		puts("alpha");
}

static void look_at_beta(void)
{
	if (beta == 2)
		puts("beta");
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	look_at_alpha();
	look_at_beta();
	bump(&stats.hits);
	pthread_join(thread, NULL);
	return 0;
}
