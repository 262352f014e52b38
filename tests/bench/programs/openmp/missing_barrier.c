/* Threads read the part of their neighbour. Fixed: after a barrier. */
#include <omp.h>
#include <stdio.h>

static int part[8], seen[8];

int main(void)
{
#pragma omp parallel num_threads(3)
	{
		int self = omp_get_thread_num(), n = omp_get_num_threads();

		part[self] = self + 1;
#ifdef FIXED
#pragma omp barrier
#endif
		seen[self] = part[(self + 1) % n];
	}
	printf("%d %d %d\n", seen[0], seen[1], seen[2]);
	return 0;
}
