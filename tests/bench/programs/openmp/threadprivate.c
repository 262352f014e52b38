/* A function keeps state in a static variable. Fixed: threadprivate. */
#include <stdio.h>

#define N 40

static int a[N], state;
#ifdef FIXED
#pragma omp threadprivate(state)
#endif

static int step(void)
{
	state = state * 5 + 3;
	return state;
}

int main(void)
{
#pragma omp parallel for num_threads(4)
	for (int i = 0; i < N; i++)
		a[i] = step();
	printf("%d\n", a[0]);
	return 0;
}
