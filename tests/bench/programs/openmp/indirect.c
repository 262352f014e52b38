/* Two iterations write one element through an index array. Fixed: the array is a permutation. */
#include <stdio.h>

#define N 180

static int a[N], where[N];

int main(void)
{
	for (int i = 0; i < N; i++)
		where[i] = (i * 7) % N;
#ifndef FIXED
	where[N - 3] = where[2];
#endif
#pragma omp parallel for num_threads(4)
	for (int i = 0; i < N; i++)
		a[where[i]] += i;
	printf("%d\n", a[where[2]]);
	return 0;
}
