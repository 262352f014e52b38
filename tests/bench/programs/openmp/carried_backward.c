/* Each iteration reads what the one before writes. Fixed: the loop is not parallel. */
#include <stdio.h>

#define N 60

static int a[N];

int main(void)
{
#ifndef FIXED
#pragma omp parallel for num_threads(2)
#endif
	for (int i = 1; i < N; i++)
		a[i] = a[i - 1] + 1;
#pragma omp parallel for num_threads(2)
	for (int i = 0; i < N; i++)
		a[i] *= 2;
	printf("%d\n", a[N - 1]);
	return 0;
}
