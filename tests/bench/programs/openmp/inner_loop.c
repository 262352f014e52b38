/* The parallel inner loop depends on its own previous iteration. Fixed: on the row before. */
#include <stdio.h>

#define ROWS 4
#define COLUMNS 20

static int m[ROWS][COLUMNS];

int main(void)
{
	for (int i = 1; i < ROWS; i++)
#pragma omp parallel for num_threads(2)
		for (int j = 1; j < COLUMNS; j++)
#ifdef FIXED
			m[i][j] = m[i - 1][j - 1] + 1;
#else
			m[i][j] = m[i][j - 1] + 1;
#endif
	printf("%d\n", m[ROWS - 1][COLUMNS - 1]);
	return 0;
}
