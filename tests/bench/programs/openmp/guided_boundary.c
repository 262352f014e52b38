/* A guided loop writes two neighbours. Fixed: one. */
#include <stdio.h>

#define N 100

static int a[N];

int main(void)
{
#pragma omp parallel for num_threads(4) schedule(guided)
	for (int i = 0; i < N - 1; i++) {
		a[i] = i;
#ifndef FIXED
		a[i + 1] = -i;
#endif
	}
	printf("%d\n", a[N / 3]);
	return 0;
}
