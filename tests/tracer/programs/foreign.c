/* Calls getpid through int 0x80, then as an x32 call, then with an invalid number. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	long result, number = 20;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(number), "b"(11), "c"(12)
			 : "r8", "r9", "r10", "r11", "memory");
	number = 0x40000000 + 39;
	__asm__ volatile("syscall" : "=a"(result) : "a"(number) : "rcx", "r11", "memory");
	number = -1;
	__asm__ volatile("syscall" : "=a"(result) : "a"(number) : "rcx", "r11", "memory");
	return (int)-result;
}
