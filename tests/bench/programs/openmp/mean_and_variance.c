/* Two sums of floating point, one without a reduction. Fixed: both with one. */
#include <stdio.h>

#define N 150
#ifdef FIXED
#define SUMS sum, squares
#else
#define SUMS sum
#endif

int main(void)
{
	double sum = 0, squares = 0;

#pragma omp parallel for num_threads(3) reduction(+ : SUMS)
	for (int i = 0; i < N; i++) {
		sum += i;
		squares += (double)i * i;
	}
	printf("%g %g\n", sum, squares);
	return 0;
}
