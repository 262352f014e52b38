/*
 * sanitized [leak|clear]: one thread reads a block that another one frees. Built with a sanitizer, and with -DFIXED so
 * that the block is freed after both have ended. leak: leaks a block and looks for it. clear: executes itself without
 * environment to do that.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct account {
	int number, balance;
	char name[16];
};

static struct account *account;

const char *__asan_default_options(void);
const char *__lsan_default_options(void);
void __lsan_do_leak_check(void) __attribute__((weak));

const char *__asan_default_options(void)
{
	/* the names of functions would take a second in each run that fails */
	return "detect_leaks=1:symbolize=0";
}

const char *__lsan_default_options(void)
{
	return "detect_leaks=1";
}

static void *reads(void *arg)
{
	(void)arg;
	return (void *)(long)account->balance;
}

static void *frees(void *arg)
{
	(void)arg;
#ifndef FIXED
	free(account);
#endif
	return NULL;
}

static int leaks(void)
{
	char *volatile block = malloc(10);

	memset(block, 1, 10);
	block = NULL;
	if (__lsan_do_leak_check)
		__lsan_do_leak_check();
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t one, two;

	if (argc > 1 && strcmp(argv[1], "clear") == 0) {
		execve(argv[0], (char *[]){argv[0], (char *)"leak", NULL}, (char *[]){NULL});
		return 2;
	}
	if (argc > 1)
		return leaks();
	account = calloc(1, sizeof(*account));
	pthread_create(&one, NULL, reads, NULL);
	pthread_create(&two, NULL, frees, NULL);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
#ifdef FIXED
	free(account);
#endif
	return 0;
}
