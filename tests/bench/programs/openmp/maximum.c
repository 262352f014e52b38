/* A maximum without a reduction. Fixed: with one. */
#include <stdio.h>

#define N 80
#ifdef FIXED
#define REDUCTION reduction(max : largest)
#else
#define REDUCTION
#endif

static int a[N], largest;

int main(void)
{
	for (int i = 0; i < N; i++)
		a[i] = (i * 37) % 101;
#pragma omp parallel for num_threads(2) REDUCTION
	for (int i = 0; i < N; i++)
		if (a[i] > largest)
			largest = a[i];
	printf("%d\n", largest);
	return 0;
}
