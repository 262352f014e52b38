/* A counter is changed with atomic and read without. Fixed: read with atomic too. */
#include <omp.h>
#include <stdio.h>

static int count, result[8];

int main(void)
{
#pragma omp parallel num_threads(4)
	{
		int seen;

#pragma omp atomic
		count++;
#ifdef FIXED
#pragma omp atomic read
		seen = count;
#else
		seen = count;
#endif
		result[omp_get_thread_num()] = seen;
	}
	printf("%d %d\n", result[0], count);
	return 0;
}
