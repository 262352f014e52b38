/* A task uses the results of two others, and nothing was captured for any of them. Fixed: with both in depend. */
#include <stdlib.h>

static int made[3];

int main(void)
{
	int right = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task depend(out : made[1])
		made[1] = 20;
#pragma omp task depend(out : made[2])
		made[2] = 22;
#ifdef FIXED
#pragma omp task depend(in : made[1], made[2]) shared(right)
#else
#pragma omp task depend(in : made[1], made[0]) shared(right)
#endif
		right = made[1] + made[2] == 42;
#pragma omp taskwait
		if (!right)
			abort();
	}
	return 0;
}
