/* Each iteration reads what the next one writes. Fixed: it reads a copy. */
#include <stdio.h>

#define N 100
#ifdef FIXED
#define SOURCE from
#else
#define SOURCE a
#endif

static int a[N], from[N];

int main(void)
{
	for (int i = 0; i < N; i++)
		a[i] = from[i] = i;
#pragma omp parallel for num_threads(4)
	for (int i = 0; i < N - 1; i++)
		a[i] = SOURCE[i + 1] + 1;
	printf("%d\n", a[N / 2]);
	return 0;
}
