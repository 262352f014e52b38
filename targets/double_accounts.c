/*
 * double_accounts: money is moved between two accounts, each of which has its own lock, while another thread adds up
 * both.
 *
 * Answer: failure, no race. The sum is wrong if it is made between the two halves of the transfer.
 * Plain runs: almost never fail, because the transfer has ended before the sum begins.
 * Twin: one more lock protects both accounts.
 */
#include "twin_lock.h"

#include "target.h"

struct account {
	pthread_mutex_t lock;
	long balance;
	char name[32];
};

static struct account *make_account(long balance)
{
	struct account *account = calloc(1, sizeof(*account));

	if (!account)
		fail("calloc");
	pthread_mutex_init(&account->lock, NULL);
	account->balance = balance;
	return account;
}

struct account *savings, *cash;

static void change(struct account *account, long by)
{
	pthread_mutex_lock(&account->lock);
	account->balance += by;
	pthread_mutex_unlock(&account->lock);
}

static long balance_of(struct account *account)
{
	long balance;

	pthread_mutex_lock(&account->lock);
	balance = account->balance;
	pthread_mutex_unlock(&account->lock);
	return balance;
}

static void *transfer(void *arg)
{
	(void)arg;
	lock();
	change(savings, -30);
	change(cash, 30);
	unlock();
	return NULL;
}

static void *add_up(void *arg)
{
	long sum;

	(void)arg;
	lock();
	sum = balance_of(savings) + balance_of(cash);
	unlock();
	if (sum != 150)
		fail("money is missing");
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	savings = make_account(100);
	cash = make_account(50);
	first = start(transfer, NULL);
	second = start_late(add_up, NULL, 2);
	join(first);
	join(second);
	free(savings);
	free(cash);
	return 0;
}
