/* The second loop reads what other threads write in the first one. Fixed: with the barrier between them. */
#include <stdio.h>

#define N 100

static int a[N], b[N];

int main(void)
{
#pragma omp parallel num_threads(4)
	{
#ifdef FIXED
#pragma omp for
#else
#pragma omp for nowait
#endif
		for (int i = 0; i < N; i++)
			a[i] = i * i;
#pragma omp for
		for (int i = 0; i < N; i++)
			b[i] = a[N - 1 - i];
	}
	printf("%d\n", b[0]);
	return 0;
}
