/*
 * generated_loop: each of two threads executes a million instructions of code that the program has generated. rfsup
 * stops at each of them, so it cannot watch them all.
 *
 * Answer: nothing is found, and the report says that accesses of generated code may be missing.
 */
#include <string.h>
#include <sys/mman.h>

#include "target.h"

static int counts[2];
static void (*generated)(int *);

static void *call(void *arg)
{
	generated(arg);
	return arg;
}

int main(void)
{
	/* mov $400000, %ecx; again: incl (%rdi); dec %ecx; jnz again; ret */
	static const unsigned char code[] = {0xb9, 0x80, 0x1a, 0x06, 0, 0xff, 0x07, 0xff, 0xc9, 0x75, 0xfa, 0xc3};
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t threads[2];

	memcpy(page, code, sizeof(code));
	mprotect(page, 4096, PROT_READ | PROT_EXEC);
	generated = (void (*)(int *))page;
	for (int i = 0; i < 2; i++)
		threads[i] = start(call, &counts[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return counts[0] != 400000 || counts[1] != 400000;
}
