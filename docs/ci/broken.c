/* broken.c - a test that fails in every run. */
#include <stdio.h>

int main(void)
{
	fputs("broken: this test always fails\n", stderr);
	return 9;
}
