/* loads LIBRARY: opens the library, calls plugin() and closes it. Does all of this twice. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int sum = 0;

	for (int i = 0; i < 2; i++) {
		void *handle = dlopen(argv[argc - 1], RTLD_NOW);
		int (*plugin)(void);

		if (!handle)
			return 99;
		plugin = (int (*)(void))dlsym(handle, "plugin");
		sum += plugin();
		dlclose(handle);
	}
	return sum;
}
