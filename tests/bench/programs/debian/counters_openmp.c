/* A reduction, a critical region and tasks, with OpenMP. */
#include <stdio.h>

int main(void)
{
	int total = 0, most = 0, done = 0, table[100];

#pragma omp parallel for num_threads(3) reduction(+ : total)
	for (int i = 0; i < 100; i++) {
		table[i] = i;
		total += table[i];
	}
#pragma omp parallel for num_threads(3)
	for (int i = 0; i < 30; i++)
#pragma omp critical
		most = most > table[i] ? most : table[i];
#pragma omp parallel num_threads(3)
#pragma omp single
	for (int i = 0; i < 5; i++)
#pragma omp task
#pragma omp atomic
		done++;
	printf("total %d most %d done %d\n", total, most, done);
	return 0;
}
