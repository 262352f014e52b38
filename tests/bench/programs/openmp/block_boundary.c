/* Each thread clears a block by hand. Its last index is one too large. Fixed: it is not. */
#include <omp.h>
#include <stdio.h>

#define N 48
#ifdef FIXED
#define EXACT 1
#else
#define EXACT 0
#endif

static int a[N];

int main(void)
{
#pragma omp parallel num_threads(4)
	{
		int size = N / omp_get_num_threads(), first = omp_get_thread_num() * size, last = first + size - EXACT;

		for (int i = first; i <= last && i < N; i++)
			a[i] = omp_get_thread_num();
	}
	printf("%d\n", a[N - 1]);
	return 0;
}
