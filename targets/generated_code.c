/*
 * generated_code: the functions that read and write a variable exist only at run time, as in a program with a compiler
 * of its own. One thread writes by one of them, another one reads by the other one.
 *
 * Answer: race, harmful: the value may be read before it is written.
 * Plain and random runs: the thread that writes is far ahead.
 * Twin: both threads hold a mutex, and the reader waits for the value.
 */
#include <string.h>
#include <sys/mman.h>

#include "target.h"

static const unsigned char store[] = {0xc7, 0x07, 1, 0, 0, 0, 0xc3}; /* movl $1, (%rdi); ret */
static const unsigned char load[] = {0x8b, 0x07, 0xc3};		     /* mov (%rdi), %eax; ret */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t written = PTHREAD_COND_INITIALIZER;
static void (*set)(int *value);
static int (*get)(const int *value);
static int value, seen;

static void *writes(void *arg)
{
	pthread_mutex_lock(&mutex);
	set(&value);
	pthread_cond_signal(&written);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *reads(void *arg)
{
#ifdef FIXED
	pthread_mutex_lock(&mutex);
	while ((seen = get(&value)) == 0)
		pthread_cond_wait(&written, &mutex);
	pthread_mutex_unlock(&mutex);
#else
	apart(100);
	seen = get(&value);
#endif
	return arg;
}

int main(void)
{
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t threads[2];

	memcpy(code, store, sizeof(store));
	memcpy(code + 64, load, sizeof(load));
	if (mprotect(code, 4096, PROT_READ | PROT_EXEC) != 0)
		return 2;
	set = (void (*)(int *))(void *)code;
	get = (int (*)(const int *))(void *)(code + 64);
	threads[0] = start(writes, NULL);
	threads[1] = start(reads, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return seen != 1;
}
