/* One section reads what another one writes. Fixed: it comes after them. */
#include <stdio.h>

#define N 12

static int a[N], b;

int main(void)
{
	int result = 0;

#pragma omp parallel num_threads(4)
	{
#pragma omp sections
		{
#pragma omp section
			for (int i = 0; i < N; i++)
				a[i] = i;
#pragma omp section
			b = 5;
#ifndef FIXED
#pragma omp section
			result = a[N - 1];
#endif
		}
#ifdef FIXED
#pragma omp single
		result = a[N - 1];
#endif
	}
	printf("%d %d\n", result, b);
	return 0;
}
