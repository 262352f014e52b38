/*
 * code_made: two threads call a function that the program has made at run time. Nobody can know what it accesses before
 * it is there, and rfsup does not watch it.
 *
 * Answer: nothing is found, and the report says how much code was not watched.
 */
#include <string.h>
#include <sys/mman.h>

#include "target.h"

static int counts[2];
static void (*made)(int *);

static void *call(void *arg)
{
	made(arg);
	return arg;
}

int main(void)
{
	static const unsigned char code[] = {0xff, 0x07, 0xc3}; /* incl (%rdi); ret */
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t threads[2];

	for (int i = 0; i < 2; i++) {
		mprotect(page, 4096, PROT_READ | PROT_WRITE);
		memcpy(page, code, sizeof(code));
		mprotect(page, 4096, PROT_READ | PROT_EXEC);
	}
	made = (void (*)(int *))page;
	for (int i = 0; i < 2; i++)
		threads[i] = start(call, &counts[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return counts[0] != 1 || counts[1] != 1;
}
