/* Calls a library function (qsort) from a known stack of functions. It calls back into the program. */
#include <stdio.h>
#include <stdlib.h>

int compare(const void *a, const void *b);
__attribute__((noinline)) int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) void inner(int *numbers);
__attribute__((noinline)) void inner(int *numbers)
{
	qsort(numbers, 3, sizeof(int), compare);
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) void outer(int *numbers);
__attribute__((noinline)) void outer(int *numbers)
{
	inner(numbers);
	__asm__ volatile("" ::: "memory");
}

int main(void)
{
	int numbers[] = {3, 1, 2};

	outer(numbers);
	return numbers[0];
}
