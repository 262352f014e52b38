/* The master sets what all read, and master has no barrier. Fixed: a barrier follows. */
#include <omp.h>
#include <stdio.h>

static int width, result[8];

int main(void)
{
#pragma omp parallel num_threads(4)
	{
#pragma omp master
		width = omp_get_num_threads() * 10;
#ifdef FIXED
#pragma omp barrier
#endif
		result[omp_get_thread_num()] = width;
	}
	printf("%d\n", result[0]);
	return 0;
}
