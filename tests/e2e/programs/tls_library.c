/* A library with a thread-local variable. Each thread gets its copy when it first uses the variable. */
__thread int in_library = 40;

void touched(void);

void __attribute__((noinline)) touched(void)
{
	__asm__ volatile("");
}

void touch(int by);

void touch(int by)
{
	in_library += by;
	touched();
}
