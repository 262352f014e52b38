/*
 * order_output.c - a race that no failure shows. Built as C and as C++, with -DSHAPE=:
 *
 *   1  two withdrawals from a balance, which is printed: the order changes the output
 *   2  the same on the heap, printed on standard error
 *   3  the same on the stack of main, written without stdio
 *   4  a counter of calls that nobody prints: the order does not change the output
 *   5  the same, and each thread prints a line: the output differs from run to run, whatever the order of the race is
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct account {
	int balance, calls;
};

static struct account global = {100, 0};

static void take(struct account *account, int amount)
{
#if SHAPE <= 3
	account->balance = account->balance - amount;
#else
	account->calls = account->calls + 1;
	(void)amount;
#endif
#if SHAPE == 5
	dprintf(1, "took %d\n", amount);
#endif
}

static void *husband(void *arg)
{
	take((struct account *)arg, 30);
	return NULL;
}

static void *wife(void *arg)
{
	take((struct account *)arg, 50);
	return NULL;
}

int main(void)
{
	struct account local = {100, 0}, *account = &global;
	pthread_t one, other;

#if SHAPE == 2
	account = (struct account *)malloc(sizeof(*account));
	*account = local;
#elif SHAPE == 3
	account = &local;
#endif
	pthread_create(&one, NULL, husband, account);
	pthread_create(&other, NULL, wife, account);
	pthread_join(one, NULL);
	pthread_join(other, NULL);
#if SHAPE == 2
	fprintf(stderr, "balance %d\n", account->balance);
	free(account);
#else
	dprintf(1, "balance %d\n", account->balance);
#endif
	return 0;
}
