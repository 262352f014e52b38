/* sor: red-black successive over-relaxation on a grid (as Java Grande's sor). SIZE: rows and columns. */
#include "team.h"

#define ROUNDS 20
#define OMEGA 1.25

static double *grid;
static long size, rounds;

static void relax(long row, int colour)
{
	double *here = grid + row * size;

	for (long i = 1 + (row + colour) % 2; i < size - 1; i += 2)
		here[i] = OMEGA / 4 * (here[i - size] + here[i + size] + here[i - 1] + here[i + 1]) +
			  (1 - OMEGA) * here[i];
}

static void *work(void *number)
{
	long first = team_first(size - 2, (intptr_t)number) + 1, end = team_first(size - 2, (intptr_t)number + 1) + 1;

	for (int step = 0; step < 2 * ROUNDS; step++) {
		for (long row = first; row < end; row++)
			relax(row, step % 2);
		if (first == 1)
			rounds++; /* PAIR */
		team_wait();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	double sum = 0;

	size = team_arguments(argc, argv) + 2;
	grid = malloc((size_t)(size * size) * sizeof(*grid));
	for (long i = 0; i < size * size; i++)
		grid[i] = (double)(i * 7919 % 1000) / 1000;
	team_run(work);
	for (long i = 0; i < size * size; i++)
		sum += grid[i];
	printf("%.9f %ld\n", sum, rounds);
	free(grid);
	return 0;
}
