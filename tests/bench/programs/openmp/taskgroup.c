/* taskwait does not wait for the tasks of tasks. Fixed: taskgroup does. */
#include <stdio.h>

int main(void)
{
	int value = 0, seen = 0;

#pragma omp parallel num_threads(3)
#pragma omp single
	{
#ifdef FIXED
#pragma omp taskgroup
#endif
		{
#pragma omp task shared(value)
#pragma omp task shared(value)
			value = 9;
#pragma omp taskwait
		}
		seen = value;
	}
	printf("%d\n", seen);
	return 0;
}
