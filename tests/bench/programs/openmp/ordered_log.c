/* Iterations append to a log. Fixed: in the ordered region. */
#include <stdio.h>

#define N 20

static int log_entries[N + 1], n, checked;

int main(void)
{
#pragma omp parallel for num_threads(3) ordered schedule(static, 2)
	for (int i = 0; i < N; i++) {
		int value = i * i;

#ifdef FIXED
#pragma omp ordered
		log_entries[n++] = value;
#else
		log_entries[n++] = value;
#pragma omp ordered
		checked += value;
#endif
	}
	printf("%d %d %d\n", n, checked, log_entries[0]);
	return 0;
}
