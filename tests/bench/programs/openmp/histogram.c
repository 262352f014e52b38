/* Threads count into shared bins. Fixed: in a critical section. */
#include <stdio.h>

#define N 120

static int a[N], bins[10];

int main(void)
{
	for (int i = 0; i < N; i++)
		a[i] = i * 31 % 10;
#pragma omp parallel for num_threads(4)
	for (int i = 0; i < N; i++)
#ifdef FIXED
#pragma omp critical
#endif
		bins[a[i]]++;
	printf("%d\n", bins[3]);
	return 0;
}
