/* Tasks count in a shared variable. Fixed: with atomic. */
#include <stdio.h>

#define N 16

static int count;

int main(void)
{
#pragma omp parallel num_threads(4)
#pragma omp single
	for (int i = 0; i < N; i++)
#pragma omp task
	{
#ifdef FIXED
#pragma omp atomic
#endif
		count++;
	}
	printf("%d\n", count);
	return 0;
}
