/*
 * Two counters lose updates (RACE). One function notices both and ends the program in the way of argument 1, so that
 * only what it says tells the two failures apart. With "varies", it says the same of both, apart from numbers and
 * addresses.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <stdexcept>
#include <string>

static volatile int counts[2];
static const char *how;

static void __attribute__((noinline)) fail(int which)
{
	const char *name = which ? "second" : "first";

	if (strcmp(how, "abort") == 0) {
		fprintf(stderr, "the %s counter is %d\n", name, counts[which]);
		abort();
	}
	if (strcmp(how, "exit") == 0) {
		fprintf(stderr, "cannot use the %s counter\n", name);
		exit(3);
	}
	if (strcmp(how, "throw") == 0)
		throw std::runtime_error(std::string("bad ") + name);
	if (strcmp(how, "free") == 0) {
		char *volatile block = (char *)malloc(100);

		free(which ? block + 4 : block); /* no block, or free twice */
		free(block);
		abort();
	}
	fprintf(stderr, "the counter %d at %p is %d after %#x\n", which, (void *)&counts[which], counts[which],
		0xabc + which);
	abort();
}

static void __attribute__((noinline)) count(int which)
{
	int before = counts[which];

	counts[which] = before + 1;
	if (counts[which] != before + 1)
		fail(which);
}

static void *work(void *arg)
{
	count(arg != nullptr);
	return nullptr;
}

int main(int, char **argv)
{
	pthread_t threads[4];

	how = argv[1];
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], nullptr, work, i & 1 ? threads : nullptr);
	for (pthread_t &thread : threads)
		pthread_join(thread, nullptr);
	return 0;
}
