/* doctor_static.c - says that it was executed. */
#include <stdio.h>

int main(void)
{
	return puts("executed") == EOF;
}
