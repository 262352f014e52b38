/* A library with relocations in its code (-Wl,-z,notext), and the program that uses it (-DPROGRAM). */
#include <pthread.h>
#include <stdio.h>

int relocated_at(const int *index);

#ifdef PROGRAM
static int first;

static void *looks(void *arg)
{
	printf("%d\n", relocated_at(&first));
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, looks, NULL);
	looks(NULL);
	pthread_join(thread, NULL);
	return 0;
}
#else
static const long table[] = {42, 43};

/* The file has 0 where the loader puts the address of the table. */
int relocated_at(const int *index)
{
	long value;

	__asm__("movslq (%1),%%rax; movabs $%c2,%%rcx; mov (%%rcx,%%rax,8),%0"
		: "=r"(value)
		: "r"(index), "i"(table)
		: "rax", "rcx");
	return (int)value;
}
#endif
