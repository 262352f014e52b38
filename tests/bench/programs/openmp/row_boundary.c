/* Each row takes the last element of the row before. Fixed: from a copy of that column. */
#include <stdio.h>

#define ROWS 12
#define COLUMNS 5

static int m[ROWS][COLUMNS], edge[ROWS];

int main(void)
{
	for (int i = 0; i < ROWS; i++)
		edge[i] = m[i][COLUMNS - 1];
#pragma omp parallel for num_threads(3)
	for (int i = 1; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++)
#ifdef FIXED
			m[i][j] = j ? m[i][j - 1] + 1 : edge[i - 1];
#else
			m[i][j] = j ? m[i][j - 1] + 1 : m[i - 1][COLUMNS - 1];
#endif
	printf("%d\n", m[ROWS - 1][0]);
	return 0;
}
