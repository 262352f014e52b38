/* far N: executes N far returns. The tracer can neither copy nor emulate this instruction. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, i;

	for (i = 0; i < n; i++)
		__asm__ volatile("sub $128, %%rsp\n"
				 "lea 1f(%%rip), %%rax\n"
				 "mov %%cs, %%ecx\n"
				 "push %%rcx\n"
				 "push %%rax\n"
				 ".globl far_here\n.type far_here, @function\n"
				 "far_here: lretq\n"
				 "1: add $128, %%rsp\n" ::
					 : "rax", "rcx", "memory");
	printf("%d rounds\n", i);
	return 0;
}
