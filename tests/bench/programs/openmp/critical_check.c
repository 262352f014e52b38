/* A value is tested before the critical section that changes it. Fixed: inside. */
#include <stdio.h>

#define N 60

static int a[N], best;

int main(void)
{
	for (int i = 0; i < N; i++)
		a[i] = i * 13 % 50;
#pragma omp parallel for num_threads(3)
	for (int i = 0; i < N; i++) {
#ifdef FIXED
#pragma omp critical
		if (a[i] > best)
			best = a[i];
#else
		if (a[i] > best) {
#pragma omp critical
			best = a[i];
		}
#endif
	}
	printf("%d\n", best);
	return 0;
}
