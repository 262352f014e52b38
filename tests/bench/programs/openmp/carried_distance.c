/* Iterations at a fixed distance write and read one element. Fixed: the distance is that of the halves. */
#include <stdio.h>

#define N 200
#ifdef FIXED
#define DISTANCE (N / 2)
#else
#define DISTANCE 17
#endif

static int a[N];

int main(void)
{
#pragma omp parallel for num_threads(3)
	for (int i = 0; i < N / 2; i++)
		a[i + DISTANCE] = a[i] + i;
	printf("%d\n", a[N - 1]);
	return 0;
}
