/* The variable `field` is written in all ways: by library calls, by another thread, by atomics, by a system call. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

struct element {
	char before[24];
	long field;
	char after[40];
};

static struct element elements[3], source;
static long *field = &elements[1].field;
static int ends[2];

static void *body(void *arg)
{
	*(volatile int *)field = 7;
	*(volatile char *)field = 9;
	return arg;
}

int main(void)
{
	unsigned long n = sizeof(elements) / 8;
	void *to = elements;
	pthread_t thread;
	long old = 1;

	if (pipe(ends))
		return 1;
	memset(&source, 3, sizeof(source));
	memset(&source, 3, sizeof(source)); /* the same page, and no byte that is watched */
	*(volatile long *)field = 1;
	*(volatile long *)field = 1; /* the same value */
	memcpy(&elements[1], &source, sizeof(source));
	__asm__ volatile("rep stosq" : "+D"(to), "+c"(n) : "a"(0x404040404040404) : "memory");
	if (pthread_create(&thread, NULL, body, NULL) || pthread_join(thread, NULL))
		return 1;
	__atomic_fetch_add(field, 5, __ATOMIC_SEQ_CST);
	__atomic_compare_exchange_n(field, &old, 77, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); /* fails */
	__atomic_compare_exchange_n(field, &old, 78, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	if (write(ends[1], "abcdefgh", 8) != 8)
		return 1;
	return read(ends[0], field, 8) != 8;
}
