/*
 * Uses locks of the C library and the loader: before main, while there are other threads, and after main. dlclose()
 * releases the loader's lock with a jump, so its return address is that of another call.
 */
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

#include "target.h"

static int count(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)info;
	(void)size;
	++*(int *)arg;
	return 0;
}

static void *use(void *arg)
{
	static const char *const names[] = {"libm.so.6", "libanl.so.1", "no such library"};
	int modules = 0;
	Dl_info info;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		void *library = dlopen(names[i], RTLD_NOW);

		dl_iterate_phdr(count, &modules);
		dlsym(RTLD_DEFAULT, names[i]);
		dladdr(&info, &info);
		if (library)
			dlclose(library);
	}
	return arg;
}

__attribute__((constructor)) static void before(void)
{
	use(NULL);
}

__attribute__((destructor)) static void after(void)
{
	use(NULL);
}

int main(void)
{
	pthread_t thread[2] = {start(use, NULL), start(use, NULL)};

	use(NULL);
	for (int i = 0; i < 2; i++)
		join(thread[i]);
	return 0;
}
