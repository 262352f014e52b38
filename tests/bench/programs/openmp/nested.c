/* The threads of two inner teams add to one row. Fixed: each outer thread has a row of its own. */
#include <omp.h>
#include <stdio.h>

#define N 20
#ifdef FIXED
#define ROW(self) (self)
#else
#define ROW(self) ((self)*0)
#endif

static int m[2][N];

int main(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
		int self = omp_get_thread_num();

#pragma omp parallel for num_threads(2)
		for (int j = 0; j < N; j++)
			m[ROW(self)][j] += j;
	}
	printf("%d\n", m[0][N - 1]);
	return 0;
}
