/*
 * faults_abort: a worker asserts that it got memory, although users must not see an assertion that fails.
 *
 * Answer: nothing without --faults malloc. With it, the assertion fails.
 * Plain runs: never, because memory is not exhausted.
 * Twin: says that memory is exhausted and calls abort(), which is no finding.
 */
#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copy(const char *text)
{
	char *block = malloc(strlen(text) + 1);

#ifdef FIXED
	if (!block) {
		fputs("out of memory\n", stderr);
		abort();
	}
#endif
	assert(block);
	return strcpy(block, text);
}

static void *work(void *arg)
{
	char *name = copy(arg);

	printf("hello from %s\n", name);
	free(name);
	return NULL;
}

int main(void)
{
	static char names[][8] = {"one", "two"};
	pthread_t threads[2];

	for (size_t i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, work, names[i]) != 0)
			return 1;
	for (size_t i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
