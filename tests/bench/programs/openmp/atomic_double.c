/* A sum of floating point. Fixed: with atomic, which is a loop of compare and exchange. */
#include <stdio.h>

#define N 30

static double sum;

int main(void)
{
#pragma omp parallel for num_threads(3)
	for (int i = 0; i < N; i++)
#ifdef FIXED
#pragma omp atomic
#endif
		sum += 0.5 * i;
	printf("%g\n", sum);
	return 0;
}
