/*
 * exit32.c - a 32-bit program without a C library. It makes a call whose number means getpid(2) in a 64-bit program.
 * Exit status: 7 if the call had its 32-bit meaning.
 */
#define CALL_EXIT 1
#define CALL_MKDIR 39

static long call(long number, long a, long b)
{
	long result;

	__asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a), "c"(b) : "memory");
	return result;
}

void _start(void);
void _start(void)
{
	call(CALL_EXIT, call(CALL_MKDIR, 0, 0) < 0 ? 7 : 1, 0);
}
