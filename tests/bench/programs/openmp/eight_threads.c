/* Eight threads, each with a few elements, and one shared flag. Fixed: a reduction. */
#include <stdio.h>

#define N 24
#ifdef FIXED
#define REDUCTION reduction(| : found)
#else
#define REDUCTION
#endif

static int a[N];

int main(void)
{
	int found = 0;

	for (int i = 0; i < N; i++)
		a[i] = i;
#pragma omp parallel for num_threads(8) REDUCTION
	for (int i = 0; i < N; i++)
		if (a[i] % 3 == 0)
			found = found | 1 << (i % 8);
	printf("%d\n", found);
	return 0;
}
