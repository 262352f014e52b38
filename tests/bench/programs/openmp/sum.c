/* A sum without a reduction. Fixed: with one. */
#include <stdio.h>

#define N 1000
#ifdef FIXED
#define REDUCTION reduction(+ : sum)
#else
#define REDUCTION
#endif

static int sum;

int main(void)
{
#pragma omp parallel for num_threads(4) REDUCTION
	for (int i = 0; i < N; i++)
		sum += i;
	printf("%d\n", sum);
	return 0;
}
