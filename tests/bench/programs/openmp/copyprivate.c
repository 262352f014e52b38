/* One thread computes a value that all use. Fixed: it is given to the others with copyprivate. */
#include <omp.h>
#include <stdio.h>

#ifndef FIXED
static int value;
#endif
static int result[8];

int main(void)
{
#pragma omp parallel num_threads(3)
	{
#ifdef FIXED
		int value;

#pragma omp single copyprivate(value)
#else
#pragma omp single nowait
#endif
		value = 42;
		result[omp_get_thread_num()] = value;
	}
	printf("%d\n", result[0]);
	return 0;
}
