/* Calls code that it has generated, writes other code there, and calls that. */
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

unsigned char *code;
void ready(void);
__attribute__((noinline)) void ready(void)
{
	__asm__ volatile("" ::: "memory");
}

static int call(unsigned char result)
{
	/* push $result; pop %rax; add $1, %eax; ret */
	const unsigned char function[] = {0x6a, result, 0x58, 0x83, 0xc0, 1, 0xc3};
	int got;

	/* the last instruction begins on the first page and ends on the second one */
	memcpy(code + 4096 - 5, function, sizeof(function));
	got = ((int (*)(void))(void *)(code + 4096 - 5))();
	return got != result + 1;
}

int main(void)
{
	int status, wrong = 0;
	pid_t child;

	code = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ready();
	wrong += call(1);
	wrong += call(2);
	child = fork();
	if (!child)
		_exit(call(3));
	waitpid(child, &status, 0);
	wrong += status != 0;
	ready();
	wrong += call(4);
	return wrong;
}
