/* Prints two readings of the time stamp counter. */
#include <stdio.h>
#include <x86intrin.h>

int main(void)
{
	unsigned aux = 0;
	unsigned long first = __rdtsc(), second = __rdtscp(&aux);

	printf("%lu %lu %u\n", first, second, aux);
	return 0;
}
