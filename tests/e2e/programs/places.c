/* Variables in places of each kind, and writes beside them that a watchpoint must not stop at. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096

struct places {
	char far[64];
	short two;
	char one;
	char beside;
	int first, second; /* in one page */
};

static struct places *heap;
static char *pages; /* two of them */
static volatile int calls;

/* The name of the function says what the test watches in it. */
static void __attribute__((noinline)) in_heap(void)
{
	for (int i = 0; i < 4; i++) {
		heap->two = (short)(i / 2);
		heap->one = (char)(i % 2);
		heap->beside++;
		heap->first = i / 3;
		memset(heap->far, i, sizeof(heap->far));
		heap->second += 2 * (i == 1);
	}
}

static void __attribute__((noinline)) across(void)
{
	unsigned long long *crosses = (void *)(pages + PAGE - 4);

	for (int i = 0; i < 3; i++) {
		pages[PAGE - 8] = (char)i;
		*(volatile unsigned long long *)crosses = 0x1111111100000000ull * (unsigned)(i / 2);
		pages[PAGE + 8] = (char)i;
	}
	*(volatile unsigned long long *)crosses = 7;
}

static void __attribute__((noinline)) writes_to(volatile int *of_caller)
{
	volatile double other = 0;

	for (int i = 0; i < 5; i++) {
		other += i;
		*of_caller = i / 2;
		calls += other > 100;
	}
}

static int __attribute__((noinline)) on_stack(void)
{
	volatile int mine = 9;

	writes_to(&mine);
	calls++;
	mine++;
	return mine;
}

static void *body(void *arg)
{
	heap->second++;
	return arg;
}

static void __attribute__((noinline)) finish(void)
{
	calls++;
}

int main(void)
{
	pthread_t thread;
	int sum;

	heap = calloc(1, sizeof(*heap));
	pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!heap || pages == MAP_FAILED || pthread_create(&thread, NULL, body, NULL) || pthread_join(thread, NULL))
		return 1;
	in_heap();
	across();
	sum = on_stack();
	finish();
	return sum == 77;
}
