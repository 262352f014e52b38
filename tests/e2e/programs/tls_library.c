/* A library with a thread-local variable that gets its place only when a thread touches it. */
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
