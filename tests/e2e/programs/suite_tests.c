/* suite_tests.c - tests of a suite: one, clean, flaky, fails, skips, named, endless, kills. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value, locked;

static void add(void)
{
	if (locked)
		pthread_mutex_lock(&lock);
	value++;
	if (locked)
		pthread_mutex_unlock(&lock);
}

static void *thread(void *arg)
{
	add();
	return arg;
}

int main(int n, char **words)
{
	pthread_t id;

	if (n < 2 || strcmp(words[1], "one") == 0)
		return 0;
	if (strcmp(words[1], "fails") == 0)
		return 3;
	if (strcmp(words[1], "skips") == 0)
		return 77;
	if (strcmp(words[1], "named") == 0)
		return getenv("NAMED") && access("folder_mark", F_OK) == 0 ? 0 : 1;
	if (strcmp(words[1], "endless") == 0)
		pause();
	if (strcmp(words[1], "kills") == 0)
		kill(0, SIGKILL);
	locked = strcmp(words[1], "flaky") != 0;
	pthread_create(&id, NULL, thread, NULL);
	add();
	pthread_join(id, NULL);
	assert(value == 2);
	return 0;
}
