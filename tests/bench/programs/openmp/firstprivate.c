/* A counter with a start value is shared. Fixed: each thread has its own. */
#include <stdio.h>

#define N 30
#ifdef FIXED
#define FIRST firstprivate(next)
#else
#define FIRST
#endif

static int a[N];

int main(void)
{
	int next = 7;

#pragma omp parallel for num_threads(3) FIRST
	for (int i = 0; i < N; i++) {
		a[i] = next;
		next = a[i] * 5 % 13;
	}
	printf("%d\n", a[N - 1]);
	return 0;
}
