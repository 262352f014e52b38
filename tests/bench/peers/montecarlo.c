/* montecarlo: prices along random paths; one array has all results (as Java Grande's montecarlo). SIZE: paths. */
#include "team.h"

#include <math.h>

#define DAYS 250

static double *results, total;
static long paths;
static pthread_mutex_t total_lock = PTHREAD_MUTEX_INITIALIZER;

static double draw(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (double)(*state >> 11) / (double)(UINT64_C(1) << 53) - 0.5;
}

static void *work(void *number)
{
	double *price = malloc(DAYS * sizeof(*price)), sum = 0;

	for (long path = (intptr_t)number; path < paths; path += team_size) {
		uint64_t state = (uint64_t)path + 1;
		double mean = 0;

		price[0] = 100;
		for (int day = 1; day < DAYS; day++)
			price[day] = price[day - 1] * exp(0.0003 + 0.02 * draw(&state));
		for (int day = 0; day < DAYS; day++)
			mean += price[day];
		results[path] = mean / DAYS;
		sum += results[path];
	}
	pthread_mutex_lock(&total_lock);
	total += sum; /* PAIR */
	pthread_mutex_unlock(&total_lock);
	free(price);
	return NULL;
}

int main(int argc, char **argv)
{
	paths = team_arguments(argc, argv);
	results = calloc((size_t)paths, sizeof(*results));
	team_run(work);
	printf("%.6f\n", total / (double)paths);
	free(results);
	return 0;
}
