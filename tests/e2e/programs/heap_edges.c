/*
 * Allocators of the C library take unusual paths. Then two threads write to the same block.
 * heap_edges remapped:    realloc calls malloc, because it cannot move the pages of the block
 *            interrupted: malloc faults; while the handler waits, another thread takes the gs register
 *            unloaded:    a second C library was loaded and unloaded, and other memory is in its place
 * Exit status 0, or 1 if some memory was not there or had a wrong value.
 */
#include <asm/prctl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096ul
#define LARGE ((size_t)1 << 20)

static long *shared;
static sem_t inside, taken;
static char *protected;

static char *page_of(void *address)
{
	return (char *)((uintptr_t)address & ~(PAGE - 1));
}

static void *work(void *arg)
{
	shared[1]++;
	return arg;
}

static void remapped(void)
{
	char *block = malloc(LARGE);

	memset(block, 1, LARGE);
	mprotect(page_of(block + LARGE / 2), PAGE, PROT_READ);
	shared = realloc(block, 3 * LARGE);
}

static void unprotect(int signo)
{
	(void)signo;
	mprotect(protected, 2 * PAGE, PROT_READ | PROT_WRITE);
	sem_post(&inside);
	sem_wait(&taken);
}

static void *take(void *arg)
{
	sem_wait(&inside);
	syscall(SYS_arch_prctl, ARCH_SET_GS, 0);
	sem_post(&taken);
	return arg;
}

static void interrupted(void)
{
	const struct sigaction action = {.sa_handler = unprotect};
	char *block, *behind;
	pthread_t thread;

	sigaction(SIGSEGV, &action, NULL);
	pthread_create(&thread, NULL, take, NULL);
	block = malloc(3000);
	behind = malloc(100);
	free(block);
	protected = page_of(block);
	mprotect(protected, 2 * PAGE, PROT_NONE); /* malloc first reads the free block, and faults */
	shared = malloc(3000);
	pthread_join(thread, NULL);
	free(behind);
}

static int unloaded(void)
{
	void *library = dlmopen(LM_ID_NEWLM, "libc.so.6", RTLD_NOW);
	char *code = library ? page_of(dlsym(library, "malloc")) : NULL, *there;

	if (!code || dlclose(library))
		return 1;
	there = mmap(code, 2 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (there != code || mprotect(there, 2 * PAGE, PROT_READ | PROT_WRITE))
		return 1;
	for (size_t i = 0; i < 2 * PAGE; i++)
		if (there[i])
			return 1;
	shared = malloc(3000);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t threads[2];
	int status = 0;

	sem_init(&inside, 0, 0);
	sem_init(&taken, 0, 0);
	if (strcmp(what, "remapped") == 0)
		remapped();
	else if (strcmp(what, "interrupted") == 0)
		interrupted();
	else
		status = unloaded();
	if (!shared)
		return 1;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return status;
}
