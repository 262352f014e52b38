/* A task uses the result of another one. Fixed: with depend. */
#include <stdio.h>

int main(void)
{
	int x = 0, y = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(x) depend(out : x)
		x = 3;
#ifdef FIXED
#pragma omp task shared(x, y) depend(in : x)
#else
#pragma omp task shared(x, y) depend(in : y)
#endif
		y = x + 1;
	}
	printf("%d %d\n", x, y);
	return 0;
}
