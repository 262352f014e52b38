/* The index of the inner loop is shared. Fixed: it is private. */
#include <stdio.h>

#define N 10
#ifdef FIXED
#define PRIVATE private(j)
#else
#define PRIVATE
#endif

static int m[N][N];

int main(void)
{
	int j;

#pragma omp parallel for num_threads(2) PRIVATE
	for (int i = 0; i < N; i++)
		for (j = 0; j < N; j++)
			m[i][j] = i + j;
	printf("%d\n", m[N - 1][N - 1]);
	return 0;
}
