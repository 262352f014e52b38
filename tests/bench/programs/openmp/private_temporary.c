/* A temporary variable is shared. Fixed: it is private. */
#include <stdio.h>

#define N 100
#ifdef FIXED
#define PRIVATE private(t)
#else
#define PRIVATE
#endif

static int a[N];

int main(void)
{
	int t = 0;

#pragma omp parallel for num_threads(4) PRIVATE
	for (int i = 0; i < N; i++) {
		t = i * 2;
		a[i] = t + 1;
	}
	printf("%d %d\n", a[N - 1], t);
	return 0;
}
