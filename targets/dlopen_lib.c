/*
 * dlopen_lib: loads libdlopen_lib.so from the program's folder while it runs. Two threads call a function in it.
 *
 * Answer: the marked statement in lib/dlopen_lib.c with itself is real and harmful: if an update is lost, main aborts.
 * Plain runs: almost never fail, because the first thread has ended before the second begins.
 * Twin: loads libdlopen_lib_fixed.so, in which the statement is under a mutex.
 */
#include "target.h"
#include <dlfcn.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#ifdef FIXED
#define LIBRARY "libdlopen_lib_fixed.so"
#else
#define LIBRARY "libdlopen_lib.so"
#endif

static void *load(void)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - sizeof(LIBRARY) - 1);
	void *library;

	if (length < 0)
		fail("/proc/self/exe");
	path[length] = '\0';
	strcpy(strrchr(path, '/') + 1, LIBRARY);
	library = dlopen(path, RTLD_NOW);
	if (!library)
		fail(dlerror());
	return library;
}

static void *call(void *arg)
{
	int (*count_up)(void) = arg;

	count_up();
	return NULL;
}

int main(void)
{
	void *library = load();
	void *count_up = dlsym(library, "count_up");
	int (*count_value)(void) = dlsym(library, "count_value");
	pthread_t first, second;

	first = start(call, count_up);
	second = start_late(call, count_up, 2);
	join(first);
	join(second);
	if (count_value() != 2)
		fail("lost update");
	puts("2");
	return 0;
}
