/* The tasks of a loop add to one sum. Fixed: with a reduction. */
#include <stdio.h>

#define N 50
#ifdef FIXED
#define REDUCTION reduction(+ : sum)
#else
#define REDUCTION
#endif

static int sum;

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop num_tasks(5) REDUCTION
	for (int i = 0; i < N; i++)
		sum += i;
	printf("%d\n", sum);
	return 0;
}
