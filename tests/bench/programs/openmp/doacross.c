/* Iterations wait for the one before, but not for the right one. Fixed: they do. */
#include <stdio.h>

#define N 24

static int a[N];

int main(void)
{
#pragma omp parallel for num_threads(2) ordered(1) schedule(static, 1)
	for (int i = 2; i < N; i++) {
#ifdef FIXED
#pragma omp ordered depend(sink : i - 1)
#else
#pragma omp ordered depend(sink : i - 2)
#endif
		a[i] = a[i - 1] + 1;
#pragma omp ordered depend(source)
	}
	printf("%d\n", a[N - 1]);
	return 0;
}
