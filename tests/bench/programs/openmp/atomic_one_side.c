/* One of two updates is atomic. Fixed: both. */
#include <stdio.h>

#define N 24

static int sum;

int main(void)
{
#pragma omp parallel for num_threads(2)
	for (int i = 0; i < N; i++) {
		if (i < N / 2) {
#pragma omp atomic
			sum += i;
		} else {
#ifdef FIXED
#pragma omp atomic
#endif
			sum += 2 * i;
		}
	}
	printf("%d\n", sum);
	return 0;
}
