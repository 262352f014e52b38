/* Two sections write one variable. Fixed: each has its own. */
#include <stdio.h>

#ifdef FIXED
#define OTHER y
#else
#define OTHER x
#endif

static int x, y;

int main(void)
{
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		x = 1;
#pragma omp section
		OTHER = 2;
	}
	printf("%d %d\n", x, y);
	return 0;
}
