/* Two critical sections that protect one variable have different names. Fixed: the same name. */
#include <stdio.h>

#define N 20

static int total;

int main(void)
{
#pragma omp parallel for num_threads(2)
	for (int i = 0; i < N; i++) {
		if (i % 2) {
#pragma omp critical(odd)
			total += i;
		} else {
#ifdef FIXED
#pragma omp critical(odd)
#else
#pragma omp critical(even)
#endif
			total -= i;
		}
	}
	printf("%d\n", total);
	return 0;
}
