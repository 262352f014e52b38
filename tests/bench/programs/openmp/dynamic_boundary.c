/* Chunks that are handed out overlap by one element. Fixed: the neighbour is read from a copy. */
#include <stdio.h>

#define N 64

static int a[N], copy[N];

int main(void)
{
	for (int i = 0; i < N; i++)
		a[i] = copy[i] = i;
#pragma omp parallel for num_threads(3) schedule(dynamic, 8)
	for (int i = 0; i < N - 1; i++)
#ifdef FIXED
		a[i] += copy[i + 1];
#else
		a[i] += a[i + 1];
#endif
	printf("%d\n", a[0]);
	return 0;
}
