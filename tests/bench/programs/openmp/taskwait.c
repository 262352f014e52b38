/* A parent uses the results of its tasks. Fixed: after taskwait. */
#include <stdio.h>

static int fibonacci(int n)
{
	int a = 0, b = 0;

	if (n < 2)
		return n;
#pragma omp task shared(a)
	a = fibonacci(n - 1);
#pragma omp task shared(b)
	b = fibonacci(n - 2);
#ifdef FIXED
#pragma omp taskwait
	return a + b;
#else
	int sum = a + b;
	/* keeps the variables alive */
#pragma omp taskwait
	return sum;
#endif
}

int main(void)
{
	int result = 0;

#pragma omp parallel num_threads(3)
#pragma omp single
	result = fibonacci(6);
	printf("%d\n", result);
	return 0;
}
