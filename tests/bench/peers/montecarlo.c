/* montecarlo: prices along random paths, the results of all in one array (Java Grande's montecarlo). SIZE: paths. */
#include "team.h"

#include <math.h>

#define DAYS 250

static double *results;
static long paths;

static double draw(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (double)(*state >> 11) / (double)(UINT64_C(1) << 53) - 0.5;
}

static void *work(void *number)
{
	double *price = malloc(DAYS * sizeof(*price));

	for (long path = (intptr_t)number; path < paths; path += team_size) {
		uint64_t state = (uint64_t)path + 1;
		double mean = 0;

		price[0] = 100;
		for (int day = 1; day < DAYS; day++)
			price[day] = price[day - 1] * exp(0.0003 + 0.02 * draw(&state));
		for (int day = 0; day < DAYS; day++)
			mean += price[day];
		results[path] = mean / DAYS; /* PAIR */
	}
	free(price);
	return NULL;
}

int main(int argc, char **argv)
{
	double sum = 0;

	paths = team_arguments(argc, argv);
	results = calloc((size_t)paths, sizeof(*results));
	team_run(work);
	for (long i = 0; i < paths; i++)
		sum += results[i];
	printf("%.6f\n", sum / (double)paths);
	free(results);
	return 0;
}
