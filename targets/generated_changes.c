/*
 * generated_changes: two threads write functions to the same place and call them, each time with other code. They do so
 * in three kinds of memory: it can be written and executed at the same time; only one of the two at a time; or it is
 * written at a second address. Then the code moves, and other processes execute it.
 *
 * Answer: nothing is found, because a mutex protects the code. The program fails if a call executes other code than
 * what was written last.
 */
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target.h"

#define SIZE 4096

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned char *code, *writable; /* of the same memory */
static int changes_protection;	       /* memory is never writable and executable at once */
static int wrong;

static int call_with(unsigned char result)
{
	const unsigned char function[] = {0xb8, result, 0, 0, 0, 0xc3}; /* mov $result, %eax; ret */

	if (changes_protection)
		mprotect(code, SIZE, PROT_READ | PROT_WRITE);
	memcpy(writable, function, sizeof(function));
	if (changes_protection)
		mprotect(code, SIZE, PROT_READ | PROT_EXEC);
	return ((int (*)(void))(void *)code)() == result;
}

static void *calls(void *arg)
{
	for (unsigned char i = 0; i < 5; i++) {
		pthread_mutex_lock(&mutex);
		wrong += !call_with((unsigned char)(i + *(unsigned char *)arg));
		pthread_mutex_unlock(&mutex);
	}
	return arg;
}

static void call_in_threads(void)
{
	unsigned char from[] = {10, 20};
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		threads[i] = start(calls, &from[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void call_in_process(void)
{
	const pid_t child = fork();
	int status;

	if (!child)
		_exit(!call_with(30));
	waitpid(child, &status, 0);
	wrong += status != 0;
}

int main(void)
{
	const int file = memfd_create("code", 0);

	code = writable = mmap(NULL, SIZE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	call_in_threads();
	call_in_process();
	code = writable = mremap(code, SIZE, 2 * SIZE, MREMAP_MAYMOVE);
	changes_protection = 1;
	call_in_threads();
	munmap(code, 2 * SIZE);
	changes_protection = 0;
	if (file < 0 || ftruncate(file, SIZE) != 0)
		return 2;
	code = mmap(NULL, SIZE, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
	writable = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	call_in_threads();
	return wrong;
}
