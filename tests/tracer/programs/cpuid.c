/* Prints one register of an invented cpuid leaf. */
#include <cpuid.h>
#include <stdio.h>

int main(void)
{
	unsigned a, b, c, d;

	__cpuid_count(0x4000feed, 7, a, b, c, d);
	printf("%u %u %u %u\n", a, b, c, d);
	return 0;
}
