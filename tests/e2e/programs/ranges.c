/*
 * ranges [large]: two threads execute range calls and range instructions with many sizes, without any synchronisation.
 * Build with -fno-builtin. Exit status 0.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SIZE 512

static char shared[SIZE], copy[SIZE], line[SIZE];
static volatile int sink;
static int large; /* one call has a size of more than 4 GiB */

/* Sizes: none, one, a few, or more than the memory has. In the last case the search ends earlier, at a match. */
static void calls(int round)
{
	size_t n = (size_t)(round % 5) * 17;

	memcpy(copy, shared, n);
	memmove(copy + 1, copy, n);
	memset(shared, round, n);
	bzero(copy + round, n); // NOLINT(clang-analyzer-security.insecureAPI.bzero): it is to be called
	shared[100] = 'x';
	sink = memcmp(shared, copy, n) == 0;
	sink = mempcpy(line, copy, n) == line + n;
	if (large && round == 1)
		sink = memchr(shared, 'x', (size_t)5 << 30) != NULL;
	sink = memrchr(shared, 'x', SIZE) != NULL;
}

static void strings(int round)
{
	strcpy(line, "a line of words");
	line[5] = (char)('a' + round % 3);
	sink = (int)strlen(line);
	sink = strcmp(line, "a lion") == 0;
	sink = strncmp(line, shared, 3) == 0;
	strncpy(copy, line, 20);
	strcat(line, copy + 12);
}

static void copy_words(void *to, const void *from, size_t n)
{
	__asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

static void fill_words(void *to, uint64_t with, size_t n)
{
	__asm__ volatile("rep stosq" : "+D"(to), "+c"(n) : "a"(with) : "memory");
}

static void copy_downwards(char *to, const char *from, size_t n)
{
	to += n - 1;
	from += n - 1;
	__asm__ volatile("std; rep movsb; cld" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

static void blocks(int round)
{
	char *block = malloc((size_t)round + 1), *none = NULL;

	block[0] = 1;
	memcpy(shared + 200, &block, sizeof(block));
	free(block);
	free(none);
}

static void *work(void *arg)
{
	const int rounds = *(int *)arg;

	for (int i = 0; i < rounds; i++) {
		calls(i);
		strings(i);
		copy_words(copy, shared, (size_t)(i % 4));
		fill_words(shared + 64, (uint64_t)i, (size_t)(i % 3));
		copy_downwards(copy + 3, shared, (size_t)(i % 9) + 1);
		blocks(i);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int rounds = 40;
	pthread_t thread;

	large = argc > 1 && strcmp(argv[1], "large") == 0;
	if (pthread_create(&thread, NULL, work, &rounds))
		return 2;
	work(&rounds);
	pthread_join(thread, NULL);
	return 0;
}
