/* One thread prepares what all use. Fixed: the others wait for it. */
#include <omp.h>
#include <stdio.h>

#define N 16

static int table[N], result[8];

int main(void)
{
#pragma omp parallel num_threads(2)
	{
#ifdef FIXED
#pragma omp single
#else
#pragma omp single nowait
#endif
		for (int i = 0; i < N; i++)
			table[i] = i * 3;
		result[omp_get_thread_num()] = table[N / 2];
	}
	printf("%d\n", result[0]);
	return 0;
}
