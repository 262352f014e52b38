/*
 * Has pages at fixed addresses, which the linker gives them (-Wl,--section-start), so that rfsup finds no room for its
 * largest mapping. Two threads repeat accesses to their own memory, and write to a variable without a lock.
 */
#include <pthread.h>

#define WALL(n) static volatile char wall##n[4096] __attribute__((section(".wall" #n), used, aligned(4096))) = {1}
WALL(0);
WALL(1);
WALL(2);
WALL(3);

static volatile int shared;
static volatile char bytes[2][512];

static void *writes(void *arg)
{
	volatile char *own = arg;

	for (int i = 0; i < 20000; i++)
		own[i % 512]++;
	for (int i = 0; i < 512; i += 16)
		*(volatile long *)(own + i) += 1;
	shared++; /* RACE */
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, writes, (void *)bytes[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
