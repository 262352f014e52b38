/*
 * loop N: executes instructions of many kinds N times, and prints the results. Tests set breakpoints at its labels. The
 * output must not change by that.
 */
#include <stdio.h>
#include <stdlib.h>

unsigned long table[4] = {1, 2, 3, 4};
unsigned long cells[4];

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1, sum = 0;

	for (unsigned long i = 0; i < n; i++)
		__asm__ volatile(".irp l, load, store, add, push, pop, call, callee, ret, indirect, branch, jump, end, "
				 "nop, rep, lea, lock, narrow\n"
				 ".globl l_\\l\n.type l_\\l, @function\n.endr\n"
				 "l_nop: nop\n"
				 "l_load: mov table(%%rip), %%rax\n"
				 "l_store: movq $5, cells+8(%%rip)\n"
				 "l_add: add %%rax, cells(%%rip)\n"
				 "l_lea: lea l_callee(%%rip), %%rdx\n"
				 "sub $128, %%rsp\n"
				 "l_push: push %%rax\n"
				 "l_pop: pop %%rcx\n"
				 "l_call: call l_callee\n"
				 "l_indirect: call *%%rdx\n"
				 "add $128, %%rsp\n"
				 "add %%rcx, %0\n"
				 "l_lock: lock incq cells+16(%%rip)\n"
				 "cmp $1, %%rax\n"
				 "l_branch: jne l_end\n"
				 "push %%rdi; push %%rcx\n"
				 "lea cells+24(%%rip), %%rdi\n"
				 "mov $8, %%ecx\n"
				 "mov $7, %%eax\n"
				 "l_rep: rep stosb\n"
				 "l_jump: jmp l_narrow\n"
				 "l_narrow: mov (%%rdx), %%cl\n"
				 "1: pop %%rcx; pop %%rdi; jmp l_end\n"
				 "nopl 0x100(%%rax,%%rax,1)\n"
				 "jmp 1b\n"
				 "l_callee: add $10, %%rcx\n"
				 "l_ret: ret\n"
				 "l_end:\n"
				 : "+r"(sum)::"rax", "rcx", "rdx", "rdi", "memory", "cc");
	printf("%lu %lu %lu %lu %lx\n", sum, cells[0], cells[1], cells[2], cells[3]);
	return 0;
}
