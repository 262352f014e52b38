/* Ends in a call that does not return, which is the last instruction of its function. The next one is another function.
 */
#include <stdlib.h>

void fails(void), follows(void), reached(void);

__asm__(".text\n"
	".type fails, @function\n"
	"fails:\n"
	"	.cfi_startproc\n"
	"	subq $0x48, %rsp\n"
	"	.cfi_adjust_cfa_offset 0x48\n"
	"	call reached\n"
	"	.cfi_endproc\n"
	".size fails, . - fails\n"
	".type follows, @function\n"
	"follows:\n"
	"	.cfi_startproc\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size follows, . - follows\n");

__attribute__((noinline, noreturn, used)) void reached(void)
{
	exit(0);
}

int main(void)
{
	follows();
	fails();
}
